// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import CLatchNGHTTP2

/// The functions by which libnghttp2 calls a connection, and the options of its sessions; the same for all connections.
struct HTTP2Callbacks: @unchecked Sendable {  // Both are read-only once they are made.
    let callbacks: OpaquePointer?
    let options: OpaquePointer?

    static let all = HTTP2Callbacks()

    private init() {
        var (callbacks, options): (OpaquePointer?, OpaquePointer?)
        nghttp2_session_callbacks_new(&callbacks)
        nghttp2_option_new(&options)
        self.callbacks = callbacks
        self.options = options
        if let options { Self.set(options) }
        guard let callbacks else { return }
        Self.setReceiving(callbacks)
        Self.setSending(callbacks)
    }

    private static func set(_ options: OpaquePointer) {
        // A handler that reads slowly must slow its client.
        nghttp2_option_set_no_auto_window_update(options, 1)
        nghttp2_option_set_no_closed_streams(options, 1)
    }

    private static func setReceiving(_ callbacks: OpaquePointer) {
        nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks) { _, frame, user in
            guard let frame else { return 0 }
            return Self.call(user) { connection in
                connection.frameBegins(HTTP2Frame(frame.pointee))
                return 0
            }
        }
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, user in
            Self.call(user, frame) { connection, frame in
                let isRequest = frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
                connection.headersBegin(on: frame.pointee.hd.stream_id, isRequest: isRequest)
                return 0
            }
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, _, name, nameCount, value, valueCount, _, user in
            Self.call(user) { connection in
                let isTaken = connection.receive(
                    UnsafeBufferPointer(start: name, count: nameCount),
                    UnsafeBufferPointer(start: value, count: valueCount))
                return isTaken ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
            }
        }
        nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks) { _, _, _, _, _, _, _, user in
            Self.call(user) { connection in
                connection.receiveMalformedField()
                return 0
            }
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, user in
            Self.call(user, frame) { connection, frame in
                connection.receive(HTTP2Frame(frame.pointee.hd))
                return 0
            }
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, id, bytes, count, user in
            Self.call(user) { connection in
                connection.receive(UnsafeBufferPointer(start: bytes, count: count), on: id)
                return 0
            }
        }
    }

    private static func setSending(_ callbacks: OpaquePointer) {
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, user in
            Self.call(user, frame) { connection, frame in
                let isReset = frame.pointee.hd.type == UInt8(NGHTTP2_RST_STREAM.rawValue)
                connection.sent(
                    HTTP2Frame(frame.pointee.hd), error: isReset ? frame.pointee.rst_stream.error_code : nil)
                return 0
            }
        }
        nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { _, frame, _, user in
            Self.call(user, frame) { connection, frame in
                if frame.pointee.hd.type == UInt8(NGHTTP2_HEADERS.rawValue) {
                    connection.headersAreNotSent(on: frame.pointee.hd.stream_id)
                }
                return 0
            }
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, _, user in
            Self.call(user) { connection in
                connection.streamCloses(id)
                return 0
            }
        }
    }

    /// Moves content of a response into a DATA frame.
    static let readContent: nghttp2_data_source_read_callback = { session, id, frame, count, flags, source, user in
        guard let stream = source?.pointee.ptr, let flags, let user else {
            return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
        }
        let frame = UnsafeMutableRawBufferPointer(start: frame, count: count)
        let output = Unmanaged<HTTP2Connection>.fromOpaque(user)._withUnsafeGuaranteedRef { connection in
            Unmanaged<HTTP2Stream>.fromOpaque(stream)._withUnsafeGuaranteedRef {
                connection.takeOutput(of: $0, into: frame)
            }
        }
        switch output {
        case .wait: return Int(NGHTTP2_ERR_DEFERRED.rawValue)
        case .piece(let count): return count
        case .end(let count, let trailers):
            flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue)
            guard !trailers.isEmpty else { return count }
            let block = HTTP2FieldBlock(trailers: trailers)
            guard !block.lines.isEmpty else { return count }
            flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue)
            block.withLines { _ = nghttp2_submit_trailer(session, id, $0.baseAddress, $0.count) }
            return count
        }
    }

    /// Calls `body` with the connection.
    ///
    /// The connection is on the call stack, so its references need not be counted: there are a dozen calls for each
    /// request.
    @inline(__always)
    private static func call(_ user: UnsafeMutableRawPointer?, _ body: (HTTP2Connection) -> Int32) -> Int32 {
        guard let user else { return 0 }
        return Unmanaged<HTTP2Connection>.fromOpaque(user)._withUnsafeGuaranteedRef(body)
    }

    /// Calls `body` with the connection and a frame.
    @inline(__always)
    private static func call(
        _ user: UnsafeMutableRawPointer?, _ frame: UnsafePointer<nghttp2_frame>?,
        _ body: (HTTP2Connection, UnsafePointer<nghttp2_frame>) -> Int32
    ) -> Int32 {
        guard let frame else { return 0 }
        return call(user) { body($0, frame) }
    }
}

extension HTTP2Frame {
    fileprivate init(_ head: nghttp2_frame_hd) {
        self.init(type: head.type, flags: head.flags, stream: head.stream_id)
    }
}

#endif
