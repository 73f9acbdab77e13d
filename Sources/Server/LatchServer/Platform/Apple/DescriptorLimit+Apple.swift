// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)

import Darwin

extension Server {
    /// Raises the number of connections and files that the process may have open to `OPEN_MAX` (10,240), the most that
    /// setrlimit(2) accepts; 256 are usual.
    ///
    /// Without permission the limit stays as it is.
    package static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(RLIMIT_NOFILE, &limit) == 0 else { return }
        let most = min(rlim_t(OPEN_MAX), limit.rlim_max)
        guard limit.rlim_cur < most else { return }
        limit.rlim_cur = most
        _ = setrlimit(RLIMIT_NOFILE, &limit)
    }

    /// Forbids core dumps, which would hold passwords and keys of requests that have ended.
    package static func forbidCoreDumps() {
        var limit = rlimit()
        _ = setrlimit(RLIMIT_CORE, &limit)
    }

    /// The number of connections and files that a process of this user may have open once it has raised its limit; nil if
    /// the system does not say.
    package static var mostDescriptors: Int? {
        var limit = rlimit()
        guard getrlimit(RLIMIT_NOFILE, &limit) == 0 else { return nil }
        return Int(clamping: min(rlim_t(OPEN_MAX), limit.rlim_max))
    }
}

#endif
