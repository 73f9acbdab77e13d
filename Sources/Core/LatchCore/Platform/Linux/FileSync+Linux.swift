// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// Writes the content of an open file or folder to the disk, so that it survives a power failure.
///
/// - Returns: 0, or -1 with the reason in `errno`, like fsync.
func synchronize(_ file: Int32) -> Int32 { fsync(file) }
#endif
