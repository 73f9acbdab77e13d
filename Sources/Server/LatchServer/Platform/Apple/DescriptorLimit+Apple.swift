// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)

import Darwin

extension Server {
    /// Raises the maximum number of open connections and files of the process to `OPEN_MAX` (10,240); 256 are usual.
    ///
    /// setrlimit(2) accepts no more. Without permission the limit does not change.
    package static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(RLIMIT_NOFILE, &limit) == 0 else { return }
        let most = min(rlim_t(OPEN_MAX), limit.rlim_max)
        guard limit.rlim_cur < most else { return }
        limit.rlim_cur = most
        _ = setrlimit(RLIMIT_NOFILE, &limit)
    }

    /// Forbids core dumps, which would contain passwords and keys of completed requests.
    package static func forbidCoreDumps() {
        var limit = rlimit()
        _ = setrlimit(RLIMIT_CORE, &limit)
    }

    /// The maximum number of open connections and files that a process of this user can set; nil if it is unknown.
    package static var mostDescriptors: Int? {
        var limit = rlimit()
        guard getrlimit(RLIMIT_NOFILE, &limit) == 0 else { return nil }
        return Int(clamping: min(rlim_t(OPEN_MAX), limit.rlim_max))
    }
}

#endif
