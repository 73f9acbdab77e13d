// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin

extension stat {
    /// The time of the last change of the content.
    var modification: timespec { st_mtimespec }
    var statusChange: timespec { st_ctimespec }
}
#endif
