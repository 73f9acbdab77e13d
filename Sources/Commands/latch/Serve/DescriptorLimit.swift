// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// The number of files and connections that the process may have open.
enum DescriptorLimit {
    /// Raises the limit to the most that the system permits.
    ///
    /// The usual 1024 exists for programs that use `select`. One client could take all of them.
    static func raise() {
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        // Where it fails, as on Darwin above OPEN_MAX, the server accepts fewer connections.
        _ = setrlimit(resource, &limit)
    }
}
