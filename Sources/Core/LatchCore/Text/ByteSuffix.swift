// SPDX-License-Identifier: Apache-2.0

extension BidirectionalCollection<UInt8> {
    /// Whether the bytes end with those of another text.
    ///
    /// `hasSuffix` of `String` compares by `Character`, so a combining accent before the suffix hides it.
    package func ends(with suffix: String.UTF8View) -> Bool { reversed().starts(with: suffix.reversed()) }
}
