/** Entry point of the processes that read text: runs the vision code with the platform's native ONNX Runtime. */
import { openNetwork } from "./platform/native/onnx.ts";
import { serve } from "./vision/ocr/helper.ts";

serve(openNetwork);
