// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
extension PublicSuffixList {
    /// The list of single labels, since Apple's systems do not offer their list; see `init(list:)`.
    public static let live = singleLabels
}
#endif
