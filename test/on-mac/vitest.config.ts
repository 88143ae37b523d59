import { defineConfig } from "vitest/config";

// For a real Mac only: .github/workflows/macos.yml.
export default defineConfig({
  test: { include: ["test/on-mac/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 60_000 },
});
