// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin

/// Writes the content of an open file or folder to the disk, so that it survives a power failure.
///
/// On Apple systems, fsync leaves the content in the drive's cache; `F_FULLFSYNC` also empties the cache (fcntl(2) of
/// Darwin). Network file systems do not support it, and use fsync.
///
/// - Returns: 0, or -1 with the reason in `errno`, like fsync.
func synchronize(_ file: Int32) -> Int32 {
    guard fcntl(file, F_FULLFSYNC) == -1 else { return 0 }
    return [ENOTSUP, EINVAL, ENOTTY].contains(errno) ? fsync(file) : -1
}
#endif
