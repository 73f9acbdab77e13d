// SPDX-License-Identifier: Apache-2.0

/// The head of a frame (RFC 9113 §4.1).
struct HTTP2Frame {
    let type: UInt8
    let flags: UInt8
    let stream: Int32

    /// The relevant frame types (RFC 9113 §6).
    enum Kind: UInt8 {
        case data = 0x0
        case headers = 0x1
        case priority = 0x2
        case reset = 0x3
        case settings = 0x4
        case ping = 0x6
        case goAway = 0x7
        case windowUpdate = 0x8
        case continuation = 0x9
    }

    /// The type; nil if RFC 9113 does not define it.
    var kind: Kind? { Kind(rawValue: type) }

    /// Whether it is the sender's last frame on the stream (RFC 9113 §6.1, §6.2).
    var endsStream: Bool { flags & 0x1 != 0 && (kind == .data || kind == .headers) }

    /// Whether it is the last frame of a header section (RFC 9113 §6.2, §6.10).
    var endsHeaders: Bool { flags & 0x4 != 0 && (kind == .headers || kind == .continuation) }

    /// Whether it acknowledges SETTINGS or PING (RFC 9113 §6.5, §6.7).
    var isAcknowledgement: Bool { flags & 0x1 != 0 && (kind == .settings || kind == .ping) }
}
