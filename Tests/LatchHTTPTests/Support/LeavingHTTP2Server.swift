// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchProcess
import Testing

/// A server of HTTP/2 over TLS, in a process of its own, whose first connections end before they respond to a request.
///
/// Each response is the protocol, and the number of requests that all connections had so far. Needs python3 and openssl.
final class LeavingHTTP2Server: Sendable {
    /// How a connection ends.
    enum Ending: String, CaseIterable {
        /// GOAWAY after the head of the request, for which the last stream is the one before.
        case goAwayAtHead
        /// The same after the whole request, and the connection stays open.
        case goAwayAtEnd
        /// The same, followed by the end of the connection.
        case goAwayAndClose
        /// RST_STREAM with REFUSED_STREAM.
        case refused
        /// RST_STREAM with HTTP_1_1_REQUIRED.
        case http11
        /// GOAWAY that includes the request, followed by the end of the connection.
        case goAwayIncluding
        /// RST_STREAM with INTERNAL_ERROR.
        case internalError
        /// The end of the connection without a word.
        case drop
        /// The end of TLS, then of the connection.
        case orderly
        /// GOAWAY as soon as two requests are open, for neither of them.
        case goAwayForTwo

        /// Whether the request was surely not processed.
        var isUnprocessed: Bool {
            switch self {
            case .goAwayAtHead, .goAwayAtEnd, .goAwayAndClose, .refused, .http11, .goAwayForTwo: true
            case .goAwayIncluding, .internalError, .drop, .orderly: false
            }
        }

        /// Those that one request is enough for.
        static var ofOne: [Ending] { allCases.filter { $0 != .goAwayForTwo } }
    }

    let port: Int
    private let process: ChildProcess

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - identity: Has the certificate `server`.
    ///   - count: The number of connections that end.
    ///   - requests: The number of requests to which each of them responds before.
    init(_ identity: TestIdentity, _ ending: Ending, count: Int = 1, after requests: Int) async throws {
        process = try ChildProcess.start(
            "/usr/bin/env",
            [
                "python3", "-c", Self.script, identity.path("server.pem"), identity.path("server.key"),
                ending.rawValue, "\(count)", "\(requests)",
            ])
        port = try #require(Int(await process.line() ?? ""))
    }

    deinit { process.kill() }

    func request(_ method: HTTPMethod = .get, body: HTTPBody = .empty) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "https", authority: "127.0.0.1:\(port)", path: "/", body: body)
    }

    private static let script = #"""
        import itertools, socket, ssl, struct, sys, threading
        certificate, key, ending, count, requests = sys.argv[1:]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        context.set_alpn_protocols(["h2", "http/1.1"])
        numbers = itertools.count(1)

        def frame(kind, flags, stream, payload=b""):
            return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload

        def read(connection, count):
            content = b""
            while len(content) < count:
                piece = connection.recv(count - len(content))
                if not piece: raise EOFError
                content += piece
            return content

        def serve1(connection):
            head = b""
            while b"\r\n\r\n" not in head:
                piece = connection.recv(4096)
                if not piece: return
                head += piece
            content = b"HTTP/1.1 %d" % next(numbers)
            connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(content) + content)
            # Closed with content unread, the connection would be reset, and the response lost.
            while connection.recv(4096): pass

        def end(connection, stream, at_end):
            def go_away(last): connection.sendall(frame(7, 0, 0, struct.pack(">II", last, 0)))
            def reset(code): connection.sendall(frame(3, 0, stream, struct.pack(">I", code)))
            if at_end == (ending == "goAwayAtHead"): return
            if ending in ("goAwayAtHead", "goAwayAtEnd", "goAwayAndClose"): go_away(max(0, stream - 2))
            if ending == "goAwayIncluding": go_away(stream)
            if ending == "refused": reset(7)
            if ending == "http11": reset(13)
            if ending == "internalError": reset(2)
            if ending == "orderly": connection.unwrap()
            if ending in ("goAwayAndClose", "goAwayIncluding", "drop", "orderly"):
                connection.shutdown(socket.SHUT_RDWR)
                raise EOFError

        def serve2(connection, is_good):
            read(connection, 24)
            connection.sendall(frame(4, 0, 0))
            answered, opened = 0, 0
            while True:
                header = read(connection, 9)
                length, kind, flags = int.from_bytes(header[:3], "big"), header[3], header[4]
                stream = int.from_bytes(header[5:], "big")
                read(connection, length)
                if kind == 4 and not flags & 1: connection.sendall(frame(4, 1, 0))
                if kind == 1: number, opened = next(numbers), opened + 1
                is_bad = not is_good and answered >= int(requests)
                if is_bad and ending == "goAwayForTwo":
                    if kind == 1 and opened == int(requests) + 2:
                        connection.sendall(frame(7, 0, 0, struct.pack(">II", stream - 4, 0)))
                    continue
                if is_bad and kind == 1: end(connection, stream, False)
                if kind in (0, 1) and flags & 1:
                    if is_bad:
                        end(connection, stream, True)
                    else:
                        content = b"HTTP/2 %d" % number
                        connection.sendall(frame(1, 4, stream, b"\x88") + frame(0, 1, stream, content))
                        answered += 1

        def serve(connection, is_good):
            try:
                connection = context.wrap_socket(connection, server_side=True)
                if connection.selected_alpn_protocol() == "h2": serve2(connection, is_good)
                else: serve1(connection)
            except (EOFError, OSError): pass

        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        print(listener.getsockname()[1], flush=True)
        for number in itertools.count():
            threading.Thread(target=serve, args=(listener.accept()[0], number >= int(count)), daemon=True).start()
        """#
}
