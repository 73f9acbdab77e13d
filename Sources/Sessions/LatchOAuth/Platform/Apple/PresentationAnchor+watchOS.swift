// SPDX-License-Identifier: Apache-2.0

#if os(watchOS)
/// The place above which the system shows a page, which a watch chooses itself.
public struct PresentationAnchor: Sendable {
    /// Creates an anchor.
    public init() {}
}
#endif
