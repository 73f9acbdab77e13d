// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// A download that keeps the received part for the next call when it fails or its process ends.
struct KeptDownload {
    /// The stored facts about the received bytes.
    private struct Note {
        /// A digest of the URL, since the URL can hold secrets.
        let url: String
        let validator: String
        /// The total number of bytes; nil if the server did not state it.
        var total: Int?
        /// The number of bytes that were received and are durable.
        var count: Int

        init(url: String, validator: String, total: Int?, count: Int) {
            (self.url, self.validator, self.total, self.count) = (url, validator, total, count)
        }

        /// Parses a note; nil for any other text.
        init?(_ bytes: [UInt8]) {
            guard let object = try? JSONValue(parsing: bytes).objectValue, let url = object["url"]?.stringValue,
                let validator = object["validator"]?.stringValue, let count = object["count"]?.intValue, count > 0,
                validator.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
            else { return nil }
            let total = object["total"]?.intValue
            guard count <= total ?? count else { return nil }
            self.init(url: url, validator: validator, total: total, count: count)
        }

        var text: [UInt8] {
            let total: JSONValue = total.map { .integer(Int64($0)) } ?? .null
            return JSONValue.object([
                "url": .string(url), "validator": .string(validator), "total": total, "count": .integer(Int64(count)),
            ]).serialized()
        }
    }

    /// Returns the number of bytes after which the received data is made durable: as many again, up to 32 MiB.
    private static func interval(after count: Int) -> Int { min(max(count, 1 << 20), 32 << 20) }

    private let file: PartialFile
    private let url: String
    private let limit: Int
    private let progress: (@Sendable (Int, Int?) -> Void)?
    private let begin: @Sendable () async throws -> HTTPResponse
    private let resume: ResumableDownload.Resume
    private let continuations: Int
    private let clock: WallClock

    /// Opens the part.
    ///
    /// - Throws: `HTTPError.fileUnavailable`, also while another call uses the part.
    init(
        _ path: String, url: String, limit: Int, progress: (@Sendable (Int, Int?) -> Void)?,
        begin: @escaping @Sendable () async throws -> HTTPResponse, resume: @escaping ResumableDownload.Resume,
        left continuations: Int, clock: WallClock
    ) throws(HTTPError) {
        do throws(FileError) { file = try PartialFile(of: path) } catch { throw Self.error(error) }
        self.url = Self.digest(url)
        (self.limit, self.progress, self.begin, self.resume) = (limit, progress, begin, resume)
        (self.continuations, self.clock) = (continuations, clock)
    }

    /// Receives the rest of the content, or all of it without a part.
    func run() async throws -> HTTPResponse {
        do {
            if let note = try await knownNote() {
                // A call with a higher limit can continue with the part.
                guard note.total ?? 0 <= limit else { throw HTTPError.tooLarge }
                let rest = ResumableDownload(
                    after: note.count, of: note.total, note.validator, left: continuations, clock: clock,
                    resume: resume)
                do {
                    let response = try await rest.begin()
                    try await receive(rest, note)
                    return response ?? HTTPResponse(status: .ok)
                } catch HTTPError.contentChanged {
                    // The part is no longer useful.
                }
            }
            var response = try await begin()
            try await response.checkSuccess()
            let all = ResumableDownload(of: response, left: continuations, clock: clock, resume: resume)
            response.body = .empty
            try await receive(all, Note(url: url, validator: all.validator ?? "", total: all.length, count: 0))
            return response
        } catch let failure as FileError {
            throw Self.error(failure)
        }
    }

    /// Returns the note of a part of this URL's content.
    private func knownNote() async throws -> Note? {
        guard var note = try await file.readNote().flatMap(Note.init), note.url == url else { return nil }
        note.count = min(note.count, file.size)
        return note.count > 0 && note.count <= limit ? note : nil
    }

    private func receive(_ content: ResumableDownload, _ known: Note) async throws {
        var (note, unkept) = (known, 0)
        do {
            try await file.begin(at: note.count)
            while let piece = try await content.next() {
                guard piece.count <= limit - note.count else { throw HTTPError.tooLarge }
                try await file.write(piece)
                note.count += piece.count
                note.total = content.total
                unkept += piece.count
                progress?(note.count, note.total)
                guard note.count <= note.total ?? note.count else { throw HTTPError.lengthMismatch }
                guard unkept >= Self.interval(after: note.count - unkept), !note.validator.isEmpty else { continue }
                try await file.keep(note.text)
                unkept = 0
            }
            guard note.total == nil || note.total == note.count else { throw HTTPError.lengthMismatch }
            // A canceled download is not wanted, even if it happens to be complete.
            guard !Task.isCancelled else { throw HTTPError.cancelled }
            try await file.commit()
        } catch {
            // The whole content follows in its place.
            if known.count > 0, HTTPError.contentChanged ~= error { throw error }
            let isUseful = !note.validator.isEmpty && note.count > 0 && !Self.spoils(error)
            // The first failure is more useful than another one of the same disk.
            do { try await isUseful ? file.keep(note.text) : file.discard() } catch {}
            throw error
        }
    }

    /// Whether an error shows that the part cannot be the beginning of the content.
    private static func spoils(_ error: any Error) -> Bool {
        [HTTPError.contentChanged, .tooLarge, .lengthMismatch].contains { $0 ~= error }
    }

    private static func error(_ failure: FileError) -> HTTPError {
        guard failure.operation != "flock" else {
            return HTTPError(
                code: HTTPError.fileUnavailable.code, message: "Another download to this path is running.",
                hint: "Wait until it ends, or choose another path.")
        }
        return .fileUnavailable("The file could not be written: \(failure).")
    }

    /// Returns a number that is almost certainly different for another text (FNV-1a of 64 bits).
    private static func digest(_ text: String) -> String {
        let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return String(hash, radix: 16)
    }
}
