// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
extension PublicSuffixes {
    /// What is certain without a register, which Apple's systems have and do not lend; see `init(list:)`.
    public static let live = singleLabels
}
#endif
