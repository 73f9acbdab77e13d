// SPDX-License-Identifier: Apache-2.0

import CBareCurl
import Foundation
import LatchHTTP

/// A gigabyte from a disk to a server, as it is and in a form, and back, with the memory that it takes at its peak.
struct Volume {
    static let size = 1 << 30

    private let client: Client
    private let folder: URL

    init(port: Int) throws {
        guard let base = URL(string: "http://127.0.0.1:\(port)") else { throw HTTPError.invalidURL }
        client = Client(baseURL: base, transport: CurlTransport(), timeout: .seconds(600))
        folder = FileManager.default.temporaryDirectory.appending(path: "latch-bench-\(UUID().uuidString)")
    }

    func measure(into report: inout Report) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { remove() }
        let path = folder.appending(path: "upload").path
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw HTTPError.fileUnavailable }
        try file.truncate(atOffset: UInt64(Self.size))
        try file.close()
        try await line("1 GB up from a disk", into: &report) { try await upload(HTTPBody(.file(at: path))) }
        var form = MultipartForm()
        form.add("a gigabyte", named: "title")
        form.parts.append(MultipartForm.Part(name: "file", filename: "upload", body: HTTPBody(try .file(at: path))))
        let encoded = try form.encoded()
        try await line("1 GB up from a disk, in a form", into: &report) { try await upload(encoded.body) }
        try await line("1 GB down to a disk", into: &report) { try await download() }
    }

    private func remove() {
        do { try FileManager.default.removeItem(at: folder) } catch { print("left behind: \(folder.path)") }
    }

    private func upload(_ body: HTTPBody) async throws {
        let request = try client.request(.put, "upload", body: body)
        let response = try await client.respond(to: request)
        guard response.body.text == body.length.map({ String($0) }) else { throw HTTPError.lengthMismatch }
    }

    private func download() async throws {
        var request = try client.request(.get, "download")
        request.wantsStream = true
        let body = try await client.respond(to: request).body
        let count = try await body.chunks.write(to: folder.appending(path: "download").path)
        guard count == Self.size else { throw HTTPError.lengthMismatch }
    }

    private func line(_ what: String, into report: inout Report, _ body: () async throws -> Void) async throws {
        let before = try Self.memory("VmRSS:", afterReset: true)
        let time = try await ContinuousClock().measure { try await body() }
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        report.note("\(what), MB/s", Double(Self.size) / 1e6 / seconds)
        report.require("\(what), MB of memory more", (try Self.memory("VmHWM:") - before) / 1e6, atMost: 30)
    }

    /// A figure of the kernel's about this process, in bytes; a reset makes the peak begin anew (proc(5)).
    private static func memory(_ name: String, afterReset isReset: Bool = false) throws -> Double {
        if isReset { try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs")) }
        let status = try String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        let words = line?.split(whereSeparator: \.isWhitespace) ?? []
        return words.count > 1 ? (Double(words[1]) ?? 0) * 1024 : 0
    }
}
