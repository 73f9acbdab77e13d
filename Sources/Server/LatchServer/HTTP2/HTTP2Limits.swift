// SPDX-License-Identifier: Apache-2.0

/// The limits of one HTTP/2 connection, which it announces in its first SETTINGS (RFC 9113 §6.5.2) or enforces.
struct HTTP2Limits: Sendable {
    /// The maximum number of concurrently open or handled requests.
    let streams: Int
    /// The maximum size of a header section; each line counts 32 bytes more than its name and value.
    let headerBytes: Int

    /// The memory of a stream with streamed content or a streamed response: its task, its buffers and its state.
    ///
    /// It may wait as long as its client or its source does. 23 KB were measured.
    static let waitingStreamBytes = 24 << 10
    /// The bytes that a client may send on a stream before its handler has read any.
    static let streamWindow = 256 << 10
    /// The bytes that a client may send on all streams of a connection before the server has taken them from the
    /// socket.
    static let connectionWindow = 1 << 20
    /// The size of a decoded header section that ends the connection, as a multiple of the limit.
    ///
    /// Up to this size it is read and gets a 431, since the state of HPACK belongs to all streams (RFC 9113 §10.5.1).
    static let fatalHeaderFactor = 16
    /// The maximum number of CONTINUATION frames of one header block, each up to 16 KiB (CVE-2024-27316).
    static let continuations = 8

    /// The settings to announce (RFC 9113 §6.5.2, RFC 9218 §2.1).
    var settings: [(id: UInt16, value: Int)] {
        let (initialWindow, maximumHeaderList, noPriorities): (UInt16, UInt16, UInt16) = (4, 6, 9)
        return [
            (Self.maximumStreams, streams), (initialWindow, Self.streamWindow), (maximumHeaderList, headerBytes),
            // RFC 9113 §5.3.2: priorities are ignored, so a client cannot build an expensive tree of them.
            (noPriorities, 1),
        ]
    }

    /// SETTINGS_MAX_CONCURRENT_STREAMS (RFC 9113 §6.5.2).
    static let maximumStreams: UInt16 = 3

    /// The frame of the settings (RFC 9113 §6.5.1).
    var settingsFrame: [UInt8] {
        let settings = settings
        var frame: [UInt8] = [0, 0, UInt8(6 * settings.count), 4, 0, 0, 0, 0, 0]
        for (id, value) in settings {
            let value = UInt32(clamping: value)
            frame += [id >> 8, id].map(UInt8.init(truncatingIfNeeded:))
            frame += [value >> 24, value >> 16, value >> 8, value].map(UInt8.init(truncatingIfNeeded:))
        }
        return frame
    }

    /// The number of streams that may end by a reset, by the client or because of it, before the connection ends.
    ///
    /// A client could open streams and reset them, or make the server reset them. Its requests would be handled without
    /// the limit of concurrent streams (CVE-2023-44487, CVE-2025-8671).
    var resets: Int { max(100, 2 * streams) }
    /// The allowance for resets.
    func resetBucket(now: UInt64) -> TokenBucket { TokenBucket(capacity: resets, perSecond: 33, now: now) }

    /// The number of frames without a message, such as PING and SETTINGS, before the connection ends.
    static func controlFrames(now: UInt64) -> TokenBucket { TokenBucket(capacity: 1000, perSecond: 100, now: now) }
    /// The allowance for frames that a client may send in response to one DATA frame, such as WINDOW_UPDATE.
    static let framesForData = 2
    /// The allowance for frames that a client may send because of one request.
    static let framesForRequest = 4
    /// The cost of SETTINGS, which changes the state of every stream.
    static let settingsCost = 10
}
