import { expect, test } from "vitest";
import { AdbFailure, explainFailure, isLost, isNetworkSerial } from "./failure.ts";

const serial = "emulator-5554";

test.each([
  ["device offline", "not_connected", /offline/, /reconnect/],
  [`device '${serial}' not found`, "not_connected", /does not see/, /android_connect.*android_list_devices/],
  ["more than one device/emulator", "ambiguous_target", /More than one/, /serials/],
  [
    "device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set\nTry 'adb kill-server' if that seems wrong.",
    "permission_missing",
    /not allowed/,
    /Unlock the device and accept/,
  ],
  ["device still authorizing", "permission_missing", /not allowed/, /Unlock/],
  ["failed to authenticate to 127.0.0.1:5555", "permission_missing", /not allowed/, /Unlock/],
  [
    "no permissions (user in plugdev group; are your udev rules wrong?); see [http://developer.android.com/tools/device.html]",
    "permission_missing",
    /may not open/,
    /udev/,
  ],
  [
    "failed to connect to '127.0.0.1:5555': Connection refused",
    "not_connected",
    /Connection refused/,
    /address and port/,
  ],
  ["closed", "not_connected", /was lost/, /android_connect/],
  ["no devices/emulators found", "not_connected", /does not see/, /android_list_devices/],
  ["something new", "not_connected", /something new/, /android_list_devices/],
])("what adb says becomes an error with the next step: %s", (text, code, message, hint) => {
  const error = explainFailure(text, serial);
  expect(error.code).toBe(code);
  expect(error.message).toMatch(message);
  expect(error.details.hint).toMatch(hint);
});

test("only a lost connection may come back; a refusal does not", () => {
  expect(["device offline", "closed", "device 'x' not found"].map((text) => isLost(new AdbFailure(text)))).toEqual([
    true,
    true,
    true,
  ]);
  expect(isLost(new AdbFailure("device unauthorized."))).toBe(false);
  expect(isLost(new Error("closed"))).toBe(false);
});

test("addresses with a port are network serials, names of devices are not", () => {
  expect(["192.0.2.7:5555", "localhost:5601", "[::1]:5555", "phone.example:37123"].every(isNetworkSerial)).toBe(true);
  expect(["emulator-5554", "R58M12ABCDE", "usb:1-1", "adb-XYZ._adb-tls-connect._tcp"].some(isNetworkSerial)).toBe(
    false,
  );
});
