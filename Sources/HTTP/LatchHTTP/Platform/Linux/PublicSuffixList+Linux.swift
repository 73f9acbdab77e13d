// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CLatchPSL

/// The newest list on the system, or the one built into libpsl; nil if there is none.
///
/// It is never changed or freed. libpsl only reads it, on any thread.
private nonisolated(unsafe) let register: OpaquePointer? = psl_latest(nil)

extension PublicSuffixList {
    /// The system's list, by libpsl.
    public static let live = PublicSuffixList(judge: { domain in
        guard let register else { return withoutData.verdict(of: domain) }
        return psl_is_public_suffix(register, domain) == 1 ? .suffix : .site
    })
}
#endif
