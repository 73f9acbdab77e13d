// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
extension PublicSuffixList {
    /// The rules without data, since Apple's systems do not offer their list; see `init(sites:)`.
    public static let live = withoutData
}
#endif
