import sharp from "sharp";

/** One token for each patch of 28×28 pixels: Anthropic's formula of 2026. */
export async function tokensOfPicture(picture: Buffer): Promise<number> {
  const { width, height } = await sharp(picture).metadata();
  return Math.ceil(width / 28) * Math.ceil(height / 28);
}
