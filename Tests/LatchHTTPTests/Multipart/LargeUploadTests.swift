// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchProcess
import LatchTesting
import Synchronization
import TestSupport
import TestTags
import TestVectors
import Testing

/// A server of one request in a process of its own, which reads a mebibyte each time that it is told to.
///
/// It looks at the file of a multipart form as a stream, and answers with the SHA-256 of its content.
private final class SlowReader: Sendable {
    let port: Int
    private let process: ChildProcess
    /// A byte on it lets the server read on; without it the server ends.
    private let control: RawClient

    private static let script = #"""
        import hashlib, json, socket, sys
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        print(listener.getsockname()[1], flush=True)
        control = listener.accept()[0]
        print("ready", flush=True)
        connection = listener.accept()[0].makefile("rwb")
        length, boundary = None, None
        while (line := connection.readline()) != b"\r\n":
            if b": " not in line: continue
            name, value = line.decode().strip().split(": ", 1)
            if name.lower() == "content-length": length = int(value)
            if name.lower() == "content-type": boundary = value.split("boundary=")[1]
        tail = ("\r\n--" + boundary + "--\r\n").encode()
        rest, head, digest, held = length, b"", hashlib.sha256(), b""
        while rest > 0:
            if not control.recv(1): sys.exit(1)
            piece = connection.read(min(1 << 20, rest))
            rest -= len(piece)
            held += piece
            if not head and b"\r\n\r\n" in held: head, held = held.split(b"\r\n\r\n", 1)
            if head and len(held) > len(tail):
                digest.update(held[:-len(tail)])
                held = held[-len(tail):]
            print(length - rest, flush=True)
        answer = json.dumps({"sha256": digest.hexdigest(), "head": head.decode(), "whole": held == tail}).encode()
        connection.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(answer) + answer)
        connection.flush()
        """#

    init() async throws {
        process = try ChildProcess.start("/usr/bin/env", ["python3", "-c", Self.script])
        port = try #require(Int(await process.line() ?? ""))
        control = try RawClient(port: port)
        _ = await process.line()
    }

    /// Lets it read on; gives how much it has read then, nil at the end.
    func readBufferedData() async -> Int? {
        _ = await control.send([1])
        return Int(await process.line() ?? "")
    }
}

@Suite struct LargeUploadTests {
    private struct Response: Codable, Sendable {
        var sha256: String
        var head: String
        var whole: Bool
    }

    private static let mebibytes = 100

    private func makeFile(at path: String) throws {
        var random = SplitMix64(state: 1)
        let block = (0..<(1 << 17)).reduce(into: Data(capacity: 1 << 20)) { block, _ in
            withUnsafeBytes(of: random.next()) { block.append(contentsOf: $0) }
        }
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let file = try #require(FileHandle(forWritingAtPath: path))
        for number in 0..<Self.mebibytes {
            var block = block
            block[number] = UInt8(truncatingIfNeeded: number)
            try file.write(contentsOf: block)
        }
        try file.close()
    }

    @Test(.tags(.multipartForms), .enabled(if: PythonCommand.isPresent, Comment(rawValue: PythonCommand.hint)))
    func `A large file in a form is read from the disk only as fast as the server takes it, and arrives whole`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let path = folder + "/file.bin"
            try makeFile(at: path)
            let server = try await SlowReader()
            var form = MultipartForm()
            form.add(try .file(at: path), named: "file", filename: "file.bin", mediaType: "video/mp4")
            let client = Client(
                baseURL: try #require(URL(string: "http://127.0.0.1:\(server.port)")), transport: CurlTransport(),
                timeout: .seconds(600))
            let readFromDisk = Mutex(0)
            let content = RouteContent.multipart(form).reporting { count, _ in readFromDisk.withLock { $0 = count } }
            async let answer = client.perform(.post("files", sending: content, as: Response.self))
            var (received, furthest, steps) = (0, 0, 0)
            while let count = await server.readBufferedData() {
                received = count
                steps += 1
                furthest = max(furthest, readFromDisk.withLock { $0 } - received)
            }
            #expect(steps > Self.mebibytes)
            // What the sockets hold on both sides, and one piece in our hands.
            #expect(furthest < 48 << 20, "\(furthest) bytes were read ahead")
            let result = try await answer
            let script = """
                import hashlib, sys
                print(hashlib.sha256(open(open(sys.argv[1]).read(), "rb").read()).hexdigest())
                """
            let expected = try await PythonCommand.run(script, input: path)
            expectEqual(result.sha256, expected.trimmingCharacters(in: .whitespacesAndNewlines))
            #expect(result.whole)
            #expect(result.head.contains(#"name="file"; filename="file.bin""#))
            #expect(result.head.contains("Content-Type: video/mp4"))
        }
    }
}
