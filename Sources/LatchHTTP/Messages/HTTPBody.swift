// SPDX-License-Identifier: Apache-2.0

/// The content of a message, whole and in memory.
///
/// What this package sends and receives is small; both sides refuse more than a limit instead of streaming it.
public struct HTTPBody: Sendable, Hashable {
    /// The content, whole.
    public let bytes: [UInt8]

    /// No content.
    public static let empty = HTTPBody([])

    /// Content that is in memory.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Content from text, in UTF-8.
    public init(_ text: String) { bytes = Array(text.utf8) }

    /// How many bytes there are.
    public var count: Int { bytes.count }

    /// Whether there is nothing.
    public var isEmpty: Bool { bytes.isEmpty }

    /// The content as text; nil when it is not UTF-8, whatever the media type says about it.
    public var text: String? { String(validating: bytes, as: UTF8.self) }
}
