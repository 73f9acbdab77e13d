// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Glibc

extension Server {
    /// Raises the number of connections and files that the process may have open to the most that the system permits.
    ///
    /// The usual 1024 exists for programs that use `select`, and one client could take all of them. Without permission the
    /// limit stays as it is.
    package static func raiseDescriptorLimit() {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(resource, &limit)
    }

    /// Forbids core dumps, which would hold passwords and keys of requests that have ended.
    package static func forbidCoreDumps() {
        var limit = rlimit()
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }

    /// The number of connections and files that a process of this user may have open once it has raised its limit; nil if
    /// the system does not say.
    package static var mostDescriptors: Int? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return Int(clamping: limit.rlim_max)
    }
}

#endif
