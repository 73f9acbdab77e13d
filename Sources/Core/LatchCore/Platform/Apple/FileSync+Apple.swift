// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin

/// Writes the content of an open file or folder to the disk, so that it survives a power cut.
///
/// fsync leaves it in the drive's own cache there; `F_FULLFSYNC` empties that too (fcntl(2) of Darwin). File systems of a
/// network do not have it, and get fsync.
///
/// - Returns: 0, or -1 with the reason in `errno`, as fsync does.
func synchronize(_ file: Int32) -> Int32 {
    guard fcntl(file, F_FULLFSYNC) == -1 else { return 0 }
    return [ENOTSUP, EINVAL, ENOTTY].contains(errno) ? fsync(file) : -1
}
#endif
