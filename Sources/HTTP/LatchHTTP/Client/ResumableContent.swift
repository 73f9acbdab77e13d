// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
import Synchronization

/// The content of an answer, over as many transfers as it takes.
final class ResumableContent: Sendable {
    /// Asks for the content from a place on, if it is still the one that the validator names.
    typealias Resume = @Sendable (_ range: String, _ validator: String) async throws -> HTTPResponse

    /// How many bytes there are in all; nil where the server does not say.
    let length: Int?

    private struct Place {
        var iterator: HTTPBodyStream.Iterator
        /// How many bytes were handed out.
        var count = 0
        /// How many bytes come once more and are left out.
        var surplus = 0
        var left: Int
    }

    /// Taken out while a piece is awaited: there is one reader at a time.
    private let place: Mutex<Place>
    /// What proves that the content is the same; nil where it cannot be continued.
    private let validator: String?
    private let clock: WallClock
    private let resume: Resume

    /// The content of a response that has begun.
    ///
    /// - Parameter left: How often it may be continued.
    init(of response: HTTPResponse, left: Int, clock: WallClock, resume: @escaping Resume) {
        let isEncoded = response.fields["Content-Encoding"].map { $0.lowercased() != "identity" } ?? false
        let announced = isEncoded ? nil : response.fields[.contentLength].flatMap { Int($0) }
        length = response.body.length ?? announced
        let isRefused = response.fields["Accept-Ranges"]?.lowercased() == "none"
        validator = isEncoded || isRefused || response.status != .ok ? nil : response.strongValidator
        place = Mutex(Place(iterator: response.body.chunks.makeAsyncIterator(), left: left))
        self.clock = clock
        self.resume = resume
    }

    /// The next bytes; nil at the end.
    func next() async throws -> [UInt8]? {
        var place = place.withLock { $0 }
        while true {
            do {
                guard var piece = try await place.iterator.next() else {
                    guard let length, place.count < length else { return nil }
                    throw HTTPError.offline("The content broke off.")
                }
                let known = min(place.surplus, piece.count)
                place.surplus -= known
                piece.removeFirst(known)
                place.count += piece.count
                guard !piece.isEmpty else { continue }
                let now = place
                self.place.withLock { $0 = now }
                return piece
            } catch let error as HTTPError where error.isBroken {
                guard let validator, place.left > 0 else { throw error }
                try await reopen(&place, validator)
            }
        }
    }

    /// Makes the next transfer the one that is read; where it breaks at once, the one after it.
    private func reopen(_ place: inout Place, _ validator: String) async throws {
        while true {
            place.left -= 1
            try await clock.sleep(for: .seconds(1))
            do {
                let response = try await resume("bytes=\(place.count)-", validator)
                place.surplus = try await surplus(in: response, after: place.count)
                place.iterator = response.body.chunks.makeAsyncIterator()
                return
            } catch let error as HTTPError where error.isBroken && place.left > 0 {
                continue
            }
        }
    }

    /// How many bytes of an answer are there already.
    ///
    /// - Throws: `HTTPError.contentChanged` where the rest belongs to other content.
    private func surplus(in response: HTTPResponse, after count: Int) async throws -> Int {
        try await response.checkSuccess()
        // RFC 9110 §13.1.5: the whole content comes where it has changed, or where the server knows no ranges.
        if response.status == .ok, response.strongValidator == validator { return count }
        // RFC 9110 §15.3.7: what a part begins with is for its sender to decide.
        guard response.status == 206, response.strongValidator.map({ $0 == validator }) ?? true,
            let range = response.fields["Content-Range"], range.hasPrefix("bytes \(count)-"),
            length == nil || range.hasSuffix("/*") || range.hasSuffix("/\(length ?? 0)")
        else { throw HTTPError.contentChanged }
        return 0
    }
}

extension HTTPResponse {
    /// What can stand in an `If-Range` field: a strong entity tag, or a date that is old enough to be one (RFC 9110
    /// §8.8.2.2 and §13.1.5).
    fileprivate var strongValidator: String? {
        if let tag = fields["ETag"] { return tag.hasPrefix("\"") ? tag : nil }
        guard let text = fields["Last-Modified"], let modified = HTTPDate(text),
            let sent = fields[.date].flatMap({ HTTPDate($0) }), sent.date.timeIntervalSince(modified.date) >= 60
        else { return nil }
        return text
    }
}
