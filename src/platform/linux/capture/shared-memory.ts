import { closeSync, ftruncateSync } from "node:fs";
import { loadKoffi } from "../../native/ffi.ts";

/** Memory that an X server on this machine can write into, allocated through libc. */
export interface SharedMemory {
  readonly bytes: Buffer;
  /** Releases the memory once none of our code can reach it. */
  forget(): void;
}

export interface SysvMemory extends SharedMemory {
  readonly shmid: number;
}

export interface FdMemory extends SharedMemory {
  /** Sends `message` with the memory's descriptor, then closes our copy of it. */
  pass(socketFd: number, message: Buffer): void;
}

type Libc = ReturnType<typeof bindLibc>;
type Pointer = bigint | null;

let libc: Libc | undefined | false;

/** Undefined when koffi or one of the functions is missing. */
export function loadSharedMemory(): Libc | undefined {
  if (libc === undefined) {
    try {
      libc = bindLibc();
    } catch {
      libc = false;
    }
  }
  return libc === false ? undefined : libc;
}

// <sys/ipc.h>, <sys/mman.h>, <sys/socket.h>: the same numbers on every Linux architecture that Node supports.
const ipcCreateOwnerOnly = 0o1600;
const ipcRemove = 0;
const readWrite = 3;
const mapShared = 1;
const closeOnExec = 1;
const dontWaitNoSignal = 0x40 | 0x4000;

function bindLibc() {
  const koffi = loadKoffi();
  if (!koffi) throw new Error("koffi is missing");
  const process = koffi.load(null);
  const shmget = process.func("int shmget(int key, size_t size, int flags)");
  const shmat = process.func("void *shmat(int id, void *at, int flags)");
  const shmdt = process.func("int shmdt(void *at)");
  const shmctl = process.func("int shmctl(int id, int command, void *buffer)");
  const memfdCreate = process.func("int memfd_create(const char *name, uint32_t flags)");
  const mmap = process.func("void *mmap(void *at, size_t length, int protection, int flags, int fd, int64_t offset)");
  const munmap = process.func("int munmap(void *at, size_t length)");
  const part = koffi.struct({ base: "void *", length: "size_t" });
  const messageHeader = koffi.struct({
    name: "void *",
    nameLength: "uint32_t",
    parts: koffi.pointer(part),
    partCount: "size_t",
    control: "void *",
    controlLength: "size_t",
    flags: "int",
  });
  const sendmsg = process.func("sendmsg", "int64_t", ["int", koffi.pointer(messageHeader), "int"]);

  const failed = (what: string) => new Error(`${what} failed with errno ${koffi.errno()}`);
  // Unmapping while a Buffer still points there would crash the process on its next access.
  const unreachable = new FinalizationRegistry<() => void>((unmap) => unmap());
  const wrap = (pointer: Pointer, size: number, unmap: () => void) => {
    const memory = koffi.view(pointer, size);
    return { bytes: Buffer.from(memory), forget: () => unreachable.register(memory, unmap) };
  };

  return {
    allocateSysv(size: number): SysvMemory {
      const shmid = shmget(0, size, ipcCreateOwnerOnly) as number;
      if (shmid < 0) throw failed("shmget");
      const pointer = shmat(shmid, null, 0) as Pointer;
      const isAttached = pointer !== null && BigInt.asIntN(64, pointer) !== -1n;
      const error = isAttached ? undefined : failed("shmat");
      // Linux lets others attach as long as we are attached; and if we are killed now, no segment is left behind.
      shmctl(shmid, ipcRemove, null);
      if (error) throw error;
      return { ...wrap(pointer, size, () => shmdt(pointer)), shmid };
    },

    allocateFd(size: number): FdMemory {
      const fd = memfdCreate("handsight", closeOnExec) as number;
      if (fd < 0) throw failed("memfd_create");
      ftruncateSync(fd, size);
      const pointer = mmap(null, size, readWrite, mapShared, fd, 0) as Pointer;
      if (pointer === null || BigInt.asIntN(64, pointer) === -1n) {
        closeSync(fd);
        throw failed("mmap");
      }
      return {
        ...wrap(pointer, size, () => munmap(pointer, size)),
        pass(socketFd, message) {
          try {
            const header = {
              name: null,
              nameLength: 0,
              parts: [{ base: message, length: message.length }],
              partCount: 1,
              control: rightsFor(fd),
              controlLength: 24,
              flags: 0,
            };
            const sent = Number(sendmsg(socketFd, header, dontWaitNoSignal));
            if (sent !== message.length) throw failed("sendmsg");
          } finally {
            closeSync(fd);
          }
        },
      };
    },
  };
}

/** A cmsghdr of SOL_SOCKET, SCM_RIGHTS with one descriptor, padded as CMSG_SPACE does on 64-bit machines. */
function rightsFor(fd: number): Buffer {
  const control = Buffer.alloc(24);
  control.writeBigUInt64LE(20n, 0);
  control.writeInt32LE(1, 8);
  control.writeInt32LE(1, 12);
  control.writeInt32LE(fd, 16);
  return control;
}
