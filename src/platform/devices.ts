import type { Backend, CallOptions, Finding } from "./backend.ts";

/**
 * What the Android tools need beyond the contract of a surface. Every device is a surface too (`backend`), so whatever
 * works on a desktop works on a device; this is the part only devices have.
 */
export interface Devices extends AsyncDisposable {
  /** All that adb sees, in its order, connected to us or not. */
  list(options: CallOptions): Promise<readonly DeviceEntry[]>;
  /** The device with this serial, or the only one there is; from now on the one meant where none is named. */
  connect(serial: string | undefined, options: CallOptions): Promise<Device>;
  /** Lets go of one device, or of all, and says how many there were. */
  disconnect(serial: string | undefined): Promise<number>;
  /** The connected device with this serial, else the one connected last. `not_connected` when there is none. */
  device(serial: string | undefined): Device;
  /** The same without an error. */
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
  /** Where it is in the device's one space: other displays stand to the right of the first. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly density: number;
  /** Quarter turns from how it is held by nature. */
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

/** Throws where what is in front must not be used. */
export type Permit = (front: ForegroundApp | undefined) => void;

/** A person, or the work profile of one, with apps and data of their own. */
export interface DeviceUser {
  readonly id: number;
  readonly name: string;
}

export interface UserOptions extends CallOptions {
  /** Else the one who uses the device now. */
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
  /** The app whose elements were read last on a display. */
  shownPackage(display: number): string;
  screenState(options: CallOptions): Promise<ScreenState>;
  /** Android's name of a key, from any usual spelling of it. */
  keyCode(name: string): string;
  apps(options: UserOptions & { readonly all: boolean }): Promise<readonly string[]>;
  /** Who has apps of their own there; one of them where there are no profiles. */
  users(options: CallOptions): Promise<readonly DeviceUser[]>;
  /** Says what was started. */
  launch(name: string, options: UserOptions): Promise<string>;
  /** A port of this machine that leads to the browser of the device. */
  forwardBrowser(socket: string | undefined, options: CallOptions): Promise<Forward>;
}
