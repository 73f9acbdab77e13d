// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// The system's database of its users.
package enum UserDatabase {
    /// The home folder of this process's user; for an unknown user, a folder in which nothing can be created.
    ///
    /// Foundation would use `HOME`, relative or not.
    package static var home: String {
        var (entry, result) = (passwd(), UnsafeMutablePointer<passwd>?.none)
        var buffer = [CChar](repeating: 0, count: 16_384)
        return buffer.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress,
                getpwuid_r(geteuid(), &entry, start, buffer.count, &result) == 0, result != nil,
                let home = entry.pw_dir, home[0] == CChar(UInt8(ascii: "/"))
            else { return "/var/empty" }
            return String(cString: home)
        }
    }
}
