import type { Backend, CallOptions, Finding } from "./backend.ts";

/**
 * What the Android tools need beyond the contract of a surface. Every device is a surface too (`backend`), so whatever
 * works on a desktop works on a device; this is the part only devices have.
 */
export interface Devices extends AsyncDisposable {
  /** Every device that adb sees, in its order, connected to us or not. */
  list(options: CallOptions): Promise<readonly DeviceEntry[]>;
  /** The device with this serial, or the only one there is. It becomes the default when no device is named. */
  connect(serial: string | undefined, options: CallOptions): Promise<Device>;
  /** Disconnects one device, or all, and returns how many there were. */
  disconnect(serial: string | undefined): Promise<number>;
  /** The connected device with this serial, else the one connected last. `not_connected` when there is none. */
  device(serial: string | undefined): Device;
  /** Like `device`, but undefined instead of an error. */
  find(serial: string | undefined): Device | undefined;
  /** What works here: adb, its server, each device. Never throws, and starts nothing. */
  diagnose(): Promise<readonly Finding[]>;
}

export interface DeviceEntry {
  readonly serial: string;
  /** "device" when it can be used; else "offline", "unauthorized", "no permissions", … */
  readonly state: string;
  readonly model?: string | undefined;
  readonly isConnected: boolean;
}

export interface DeviceFacts {
  readonly model: string;
  readonly android: string;
  readonly sdk: number | undefined;
}

export interface DeviceDisplay {
  /** Where it is in the device's one coordinate space: other displays are placed to the right of the first. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly density: number;
  /** Quarter turns from its natural orientation. */
  readonly rotation: number;
  /** How many displays are on. */
  readonly displays: number;
}

export interface ForegroundApp {
  /** Empty for the notification shade, the lock screen and the like. */
  readonly package: string;
  readonly activity: string;
  /** Above 0 in a work profile or for a second user. */
  readonly user: number;
}

export interface ScreenState {
  readonly isOn: boolean;
  readonly isLocked: boolean;
}

export interface Forward {
  readonly port: number;
  release(): Promise<void>;
}

/** Throws when the app in front must not be used. */
export type Permit = (front: ForegroundApp | undefined) => void;

/** A user of the device, or a work profile, with its own apps and data. */
export interface DeviceUser {
  readonly id: number;
  readonly name: string;
}

export interface UserOptions extends CallOptions {
  /** Default: the current user of the device. */
  readonly user?: number | undefined;
}

export interface Device {
  readonly serial: string;
  /** "android:emulator-5554": the surface's id. */
  readonly id: string;
  readonly facts: DeviceFacts;
  readonly backend: Backend;
  display(options: CallOptions & { readonly display?: number | undefined }): Promise<DeviceDisplay>;
  foreground(options: CallOptions & { readonly display?: number | undefined }): Promise<ForegroundApp | undefined>;
  /** The app on a display when its elements were last read. */
  shownPackage(display: number): string;
  screenState(options: CallOptions): Promise<ScreenState>;
  /** Android's name for a key, from any common spelling. */
  keyCode(name: string): string;
  apps(options: UserOptions & { readonly all: boolean }): Promise<readonly string[]>;
  /** Users and profiles with their own apps; just one if there are no profiles. */
  users(options: CallOptions): Promise<readonly DeviceUser[]>;
  /** Returns what was started. */
  launch(name: string, options: UserOptions): Promise<string>;
  /** Forwards a local port to the browser on the device. */
  forwardBrowser(socket: string | undefined, options: CallOptions): Promise<Forward>;
}
