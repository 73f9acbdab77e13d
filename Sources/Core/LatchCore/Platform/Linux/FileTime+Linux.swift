// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

extension stat {
    /// The time of the last change of the content.
    var modification: timespec { st_mtim }
    var statusChange: timespec { st_ctim }
}
#endif
