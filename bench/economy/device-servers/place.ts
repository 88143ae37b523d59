/** A device that adb sees, with the app of the job in front. */
export interface DevicePlace {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly serial: string;
}
