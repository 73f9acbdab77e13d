// SPDX-License-Identifier: Apache-2.0

import LatchCore
internal import LatchFoundation
import LatchHTTP
import Synchronization

/// The files of a folder as responses: media types, conditional requests (RFC 9110 §13), ranges (RFC 9110 §14).
struct StaticFiles: ImmediateHandler {
    private let folder: ServedFolder
    private let cacheControl: String?
    /// The path of the file that is served if no file has the request's path; nil for 404.
    private let fallback: String?
    private let clock: WallClock

    init(folder: String, cacheControl: String?, fallback: String?, clock: WallClock = .system) {
        (self.folder, self.cacheControl, self.fallback) = (ServedFolder(path: folder), cacheControl, fallback)
        self.clock = clock
    }

    func begin(_ request: inout HTTPRequest) -> EventualResponse {
        .ready(Outcome(response(to: request)))
    }

    private func response(to request: HTTPRequest) -> HTTPResponse {
        let path = request.pathParameter(Self.parameter) ?? ""
        if Self.isVisible(path) {
            switch folder.open(path) {
            case .file(let file) where path.utf8.last != 0x2F: return response(to: request, file, named: path)
            case .folder:
                // Relative links of the page are resolved against its folder.
                guard path.isEmpty || path.utf8.last == 0x2F else {
                    return .redirect(request, to: request.pathWithoutQuery + "/")
                }
                if let response = response(to: request, at: path + "index.html") { return response }
            case .unavailable: return .problem(status: .serviceUnavailable)
            case .file, .missing: break
            }
        }
        return fallback.flatMap { response(to: request, at: $0) } ?? .problem(status: .notFound)
    }

    /// Returns the response for another path than the request's; nil if it does not name a file.
    private func response(to request: HTTPRequest, at path: String) -> HTTPResponse? {
        switch folder.open(path) {
        case .file(let file): response(to: request, file, named: path)
        case .unavailable: .problem(status: .serviceUnavailable)
        case .folder, .missing: nil
        }
    }

    /// The parameter of the pattern: the path in the folder.
    static let parameter = "path"

    /// Whether no part of a path is hidden, such as `.env` or `.git`; `.well-known` is public (RFC 8615).
    private static func isVisible(_ path: String) -> Bool {
        !path.utf8.contains(0)
            && path.utf8.split(separator: 0x2F).enumerated().allSatisfy { index, name in
                name.first != 0x2E || index == 0 && name.elementsEqual(".well-known".utf8)
            }
    }

    private func response(to request: HTTPRequest, _ file: ServedFile, named name: String) -> HTTPResponse {
        let version = FileVersion(file, now: clock.now)
        var fields: HTTPFields = ["ETag": version.entityTag, "Last-Modified": version.lastModified.description]
        if let cacheControl { fields[.cacheControl] = cacheControl }
        switch version.decision(on: request) {
        case .failed: return .problem(status: 412)
        // RFC 9110 §15.4.5: without the fields of the content.
        case .unchanged: return HTTPResponse(status: 304, fields: fields)
        case .send: break
        }
        fields["Accept-Ranges"] = "bytes"
        fields[.contentType] = MediaType.ofFile(named: name)
        // A browser must not interpret a text as a script.
        fields["X-Content-Type-Options"] = "nosniff"
        // A client with many unread streams must not fill the memory.
        guard request.context.memory?.reserve(Self.pieceBytes) ?? true else {
            return .problem(status: .serviceUnavailable)
        }
        guard request.method == .get, let range = version.range(of: request) else {
            return HTTPResponse(status: .ok, fields: fields, body: Self.body(file, 0..<file.size))
        }
        guard let part = range.part(of: file.size) else {
            fields["Content-Range"] = "bytes */\(file.size)"
            fields[.contentType] = nil
            return HTTPResponse(status: 416, fields: fields)
        }
        fields["Content-Range"] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(file.size)"
        return HTTPResponse(status: 206, fields: fields, body: Self.body(file, part))
    }
}

extension StaticFiles {
    /// The size in bytes of the pieces that are read at a time.
    private static let pieceBytes = 64 << 10

    /// Returns a part of a file as content, which is read while it is sent.
    private static func body(_ file: ServedFile, _ part: Range<Int>) -> HTTPBody {
        let rest = Mutex(part)
        return HTTPBody(
            HTTPBodyStream(
                length: part.count,
                once: {
                    let (start, count) = rest.withLock { rest in
                        let start = rest.lowerBound
                        rest = min(start + pieceBytes, rest.upperBound)..<rest.upperBound
                        return (start, rest.lowerBound - start)
                    }
                    guard count > 0 else { return nil }
                    return try await file.bytes(at: start, count: count)
                }))
    }
}
