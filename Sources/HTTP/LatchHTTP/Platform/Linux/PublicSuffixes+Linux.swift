// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPSL

/// The newest register of the system, or the one that libpsl was built with; nil where it was built with none.
///
/// It is never changed or freed, and libpsl only reads it, on any thread.
private nonisolated(unsafe) let register: OpaquePointer? = psl_latest(nil)

extension PublicSuffixes {
    /// The register of this system, by libpsl.
    public static let live = PublicSuffixes { domain in
        guard let register else { return singleLabels.contains(domain) }
        return psl_is_public_suffix(register, domain) == 1
    }
}
#endif
