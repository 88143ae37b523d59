/** Entry of the processes that read text: what vision does there, with what the platforms call native code with. */
import { openNetwork } from "./platform/native/onnx.ts";
import { serve } from "./vision/ocr/helper.ts";

serve(openNetwork);
