// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchHTTP

/// What a request sends, as curl takes it.
struct RequestContent: Sendable {
    /// The content, from memory or from a file while it is sent.
    let body: HTTPBody
    /// The media type that goes with the flag; nil where nothing is sent.
    let mediaType: String?

    /// The most that is read from standard input, which has to be kept for a repeat.
    private static let limit = 64 << 20

    /// Several pieces of a form are joined by `&`, of JSON by nothing.
    ///
    /// Unlike curl, a file keeps its line breaks.
    init(_ invocation: Invocation, _ shell: Shell) async throws {
        let (form, json) = (invocation.all(RequestVerb.data), invocation.all(RequestVerb.json))
        guard form.isEmpty || json.isEmpty else {
            throw CommandError.usage("'--data' and '--json' cannot both be sent.", hint: "Give one of the two.")
        }
        let pieces = form + json
        mediaType = pieces.isEmpty ? nil : json.isEmpty ? "application/x-www-form-urlencoded" : "application/json"
        if pieces.count == 1, let only = pieces.first, only.hasPrefix("@"), only != "@-" {
            body = HTTPBody(try .file(at: String(only.dropFirst())))
            return
        }
        var bytes: [UInt8] = []
        for (number, piece) in pieces.enumerated() {
            if number > 0, json.isEmpty { bytes.append(UInt8(ascii: "&")) }
            bytes += try await Self.bytes(of: piece, shell)
        }
        body = HTTPBody(bytes)
    }

    private static func bytes(of piece: String, _ shell: Shell) async throws -> [UInt8] {
        guard piece.hasPrefix("@") else { return Array(piece.utf8) }
        guard piece == "@-" else { return try InputFile.bytes(String(piece.dropFirst())) }
        let bytes = try await shell.input.all(limit)
        guard bytes.count <= limit else {
            throw CommandError.failed("Standard input is too long.", hint: "Put it into a file: -d @FILE")
        }
        return bytes
    }
}
