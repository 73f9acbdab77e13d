// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Glibc

extension Server {
    /// Raises the maximum number of open connections and files of the process to the system's maximum.
    ///
    /// The usual 1024 is for programs that use `select`, and one client could use all of them. Without permission the
    /// limit does not change.
    package static func raiseDescriptorLimit() {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(resource, &limit)
    }

    /// Forbids core dumps, which would contain passwords and keys of completed requests.
    package static func forbidCoreDumps() {
        var limit = rlimit()
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }

    /// The maximum number of open connections and files that a process of this user can set; nil if it is unknown.
    package static var mostDescriptors: Int? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return Int(clamping: limit.rlim_max)
    }
}

#endif
