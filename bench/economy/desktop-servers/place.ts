/** A desktop of its own with the app of the job in front. */
export interface DesktopPlace {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}
