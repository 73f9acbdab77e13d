// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import CLatchNGHTTP2

/// The frames of one HTTP/2 connection (RFC 9113) and their compression (RFC 7541), by libnghttp2, without any I/O.
///
/// `receive(_:)` takes bytes and reports their meaning to the connection. `nextOutput()` returns the bytes to send.
/// Within those two, only methods that queue a frame may be called.
struct HTTP2Session {
    /// The `nghttp2_session`, freed by `free()`.
    private let session: OpaquePointer

    /// The first SETTINGS, to be sent before the output.
    let opening: [UInt8]

    /// Creates the session of a connection, which must outlive it; nil if memory is exhausted.
    init?(_ limits: HTTP2Limits, of connection: HTTP2Connection) {
        var session: OpaquePointer?
        let user = Unmanaged.passUnretained(connection).toOpaque()
        guard let callbacks = HTTP2Callbacks.all.callbacks, let options = HTTP2Callbacks.all.options,
            nghttp2_session_server_new2(&session, callbacks, user, options) == 0, let session
        else { return nil }
        self.session = session
        // The library ends the connection of a client that exceeds the number of streams. RFC 9113 §5.1.2 requires
        // refusing only the stream. So the library gets another number than the client, and the connection counts.
        let entries = limits.settings.map {
            nghttp2_settings_entry(
                settings_id: Int32($0.id),
                value: $0.id == HTTP2Limits.maximumStreams ? UInt32(Int32.max) : UInt32(clamping: $0.value))
        }
        let window = Int32(HTTP2Limits.connectionWindow)
        guard nghttp2_submit_settings(session, Self.none, entries, entries.count) == 0,
            nghttp2_session_set_local_window_size(session, Self.none, 0, window) == 0
        else {
            nghttp2_session_del(session)
            return nil
        }
        opening = limits.settingsFrame
        // The library's own frame, which waits for the acknowledgement of ours.
        _ = nextOutput()
    }

    private static var none: UInt8 { UInt8(NGHTTP2_FLAG_NONE.rawValue) }

    /// Frees the session; the last call, and only once.
    func free() { nghttp2_session_del(session) }

    /// Whether frames are still expected or to be sent; false after GOAWAY has ended the connection.
    var isActive: Bool { nghttp2_session_want_read(session) != 0 || nghttp2_session_want_write(session) != 0 }

    /// Parses bytes from the socket; returns the error with which the connection must end, or nil.
    func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> HTTP2Error? {
        let result = nghttp2_session_mem_recv(session, bytes.baseAddress, bytes.count)
        guard result < 0 else { return nil }
        return result == Int(NGHTTP2_ERR_BAD_CLIENT_MAGIC.rawValue) ? .protocolError : .enhanceYourCalm
    }

    /// Returns the bytes of the next frame to send, valid until the next call; nil if there is none.
    func nextOutput() -> UnsafeBufferPointer<UInt8>? {
        var bytes: UnsafePointer<UInt8>?
        let count = nghttp2_session_mem_send(session, &bytes)
        return count > 0 ? UnsafeBufferPointer(start: bytes, count: count) : nil
    }
}

// MARK: - Sending

extension HTTP2Session {
    /// Queues a response; `stream` has its content, if any.
    func respond(_ head: borrowing HTTP2FieldBlock, to stream: HTTP2Stream, hasContent: Bool) {
        head.withLines { lines in
            guard hasContent else {
                _ = nghttp2_submit_response(session, stream.id, lines.baseAddress, lines.count, nil)
                return
            }
            var provider = nghttp2_data_provider()
            provider.source.ptr = Unmanaged.passUnretained(stream).toOpaque()
            provider.read_callback = HTTP2Callbacks.readContent
            _ = nghttp2_submit_response(session, stream.id, lines.baseAddress, lines.count, &provider)
        }
    }

    /// Queues an interim response (RFC 9110 §15.2).
    func inform(_ head: borrowing HTTP2FieldBlock, on stream: HTTP2Stream) {
        head.withLines { lines in
            _ = nghttp2_submit_headers(session, Self.none, stream.id, nil, lines.baseAddress, lines.count, nil)
        }
    }

    /// Continues to send the content of a stream whose source had none.
    func resume(_ stream: HTTP2Stream) { nghttp2_session_resume_data(session, stream.id) }

    /// Queues RST_STREAM.
    func reset(_ id: Int32, _ error: HTTP2Error) { nghttp2_submit_rst_stream(session, Self.none, id, error.rawValue) }

    /// Opens the windows of a stream and of the connection by the number of taken bytes.
    func consume(_ id: Int32, _ count: Int) { nghttp2_session_consume(session, id, count) }

    /// Opens only the window of the connection.
    func consumeConnection(_ count: Int) { nghttp2_session_consume_connection(session, count) }

    /// Opens only the window of a stream.
    func consumeStream(_ id: Int32, _ count: Int) { nghttp2_session_consume_stream(session, id, count) }

    /// Sends a PING that the client must acknowledge (RFC 9113 §6.7).
    func ping() { nghttp2_submit_ping(session, Self.none, nil) }

    /// Announces that the connection will end, while requests may still be in transit (RFC 9113 §6.8).
    ///
    /// It also sends a PING, whose acknowledgement shows that the client has read the announcement.
    func announceEnd() {
        nghttp2_submit_shutdown_notice(session)
        nghttp2_submit_ping(session, Self.none, nil)
    }

    /// Accepts no further streams.
    func refuseNewStreams() {
        let last = nghttp2_session_get_last_proc_stream_id(session)
        nghttp2_submit_goaway(session, Self.none, last, HTTP2Error.noError.rawValue, nil, 0)
    }

    /// Queues the last GOAWAY; after it nothing is read or sent.
    func end(_ error: HTTP2Error) { nghttp2_session_terminate_session(session, error.rawValue) }
}

extension HTTP2FieldBlock {
    /// Calls `body` with the lines in the library's form, valid during the call.
    borrowing func withLines<Result>(_ body: (UnsafeBufferPointer<nghttp2_nv>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: lines.count) { output in
            guard let base = bytes.baseAddress else { return body(UnsafeBufferPointer(start: nil, count: 0)) }
            for (index, line) in lines.enumerated() {
                let flags = line.isNeverIndexed ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE
                let name = base + line.start
                output.initializeElement(
                    at: index,
                    to: nghttp2_nv(
                        name: name, value: name + line.nameCount, namelen: line.nameCount, valuelen: line.valueCount,
                        flags: UInt8(flags.rawValue)))
            }
            return body(UnsafeBufferPointer(output))
        }
    }
}

#endif
