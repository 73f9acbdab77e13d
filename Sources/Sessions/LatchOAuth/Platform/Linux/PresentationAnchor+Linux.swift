// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// The window above which the system shows a page; Linux has no such page.
public struct PresentationAnchor: Sendable {
    /// Creates an anchor.
    public init() {}
}
#endif
