// SPDX-License-Identifier: Apache-2.0

public import LatchCore
import LatchFoundation
import Synchronization

extension Client {
    /// Downloads the response to a route into a file, which appears with all of the content or not at all.
    ///
    /// ```swift
    /// try await client.download(.get("exports/\(id)"), to: path) { received, all in show(received, of: all) }
    /// ```
    ///
    /// The content is written next to `path` and renamed at the end. Any failure, including cancellation, leaves the
    /// existing file unchanged. An interrupted transfer is resumed where it stopped (RFC 9110 §14), if the server can
    /// prove that the content has not changed. With `keepingPart` a later call, even in another process, continues with
    /// the part that was received.
    ///
    /// - Parameters:
    ///   - route: The route to download. Its timeout, or that of the client or the transport, is the time without
    ///     progress after which a transfer counts as interrupted.
    ///   - path: The path of the file; its folder must exist.
    ///   - limit: The maximum number of bytes.
    ///   - continuations: The maximum number of attempts to resume an interrupted transfer without receiving anything.
    ///     The pause before an attempt doubles from a second to half a minute. An attempt that receives data resets the
    ///     count.
    ///   - keepingPart: Whether the received part stays in `<path>.part` when the download fails, for the next call
    ///     with the same path and URL. If the process is killed, the last megabytes are lost. Meanwhile another call
    ///     with that path fails.
    ///   - clock: The clock for the pauses before a transfer is resumed.
    ///   - progress: A function that is called after each chunk with the number of bytes received and the total, if it
    ///     is known; nil for none.
    /// - Returns: The response without its content.
    /// - Throws: `HTTPError.unacceptableStatus`, `.contentChanged`, `.tooLarge`, `.fileUnavailable`, and the errors of
    ///   `perform`.
    @discardableResult
    public func download(
        _ route: Route<Void>, to path: String, upTo limit: Int = .max, continuations: Int = 3,
        keepingPart: Bool = false, clock: WallClock = .system,
        progress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)? = nil
    ) async throws -> HTTPResponse {
        var route = route.raw().asStream()
        // RFC 9110 §14.2: a range applies to the encoded content, so the content is requested without a content coding.
        route.fields["Accept-Encoding"] = route.fields["Accept-Encoding"] ?? "identity"
        let whole = route
        let resume: ResumableDownload.Resume = { range, validator in
            var rest = whole
            rest.fields["Range"] = range
            rest.fields["If-Range"] = validator
            return try await self.perform(rest)
        }
        do {
            guard !keepingPart else {
                let kept = try KeptDownload(
                    path, url: request(for: whole).absoluteURL, limit: limit, progress: progress,
                    begin: { try await self.perform(whole) }, resume: resume, left: continuations, clock: clock)
                return try await kept.run()
            }
            var response = try await perform(whole)
            try await response.checkSuccess()
            let content = ResumableDownload(of: response, left: continuations, clock: clock, resume: resume)
            response.body = .empty
            try await HTTPBodyStream(length: content.length, once: { try await content.next() })
                .write(to: path, upTo: limit, progress: progress)
            return response
        } catch is CancellationError {
            throw HTTPError.cancelled
        }
    }
}

/// The content of a response, received over as many transfers as necessary.
final class ResumableDownload: Sendable {
    /// Requests the content from a byte offset on, if it still matches the validator.
    typealias Resume = @Sendable (_ range: String, _ validator: String) async throws -> HTTPResponse

    /// The total number of bytes, or nil if the server does not state it.
    let length: Int?

    private struct State {
        /// The current transfer; nil before the first one if the beginning of the content was received before.
        var iterator: HTTPBodyStream.Iterator?
        /// The number of bytes that were returned.
        var count = 0
        /// The total number of bytes; a partial response tells it if the first response did not.
        var total: Int?
        /// The number of bytes that arrive again and are skipped.
        var surplus = 0
        var left: Int
        /// Whether the current transfer is a part of the content.
        var isPart = false
        /// Whether the current transfer is a part of the content and has delivered bytes.
        var hasProgressed = false
    }

    /// The current read position; it is copied out while a chunk is awaited, since there is one reader at a time.
    private let state: Mutex<State>
    /// The validator that proves that the content has not changed; nil if the transfer cannot be resumed.
    let validator: String?
    private let continuations: Int
    private let clock: WallClock
    private let resume: Resume

    /// Creates the content of a response whose head has arrived.
    ///
    /// - Parameter left: The number of times that the transfer may be resumed.
    init(of response: HTTPResponse, left: Int, clock: WallClock, resume: @escaping Resume) {
        let isEncoded = response.fields["Content-Encoding"].map { $0.lowercasedASCII() != "identity" } ?? false
        let announced = isEncoded ? nil : response.fields[.contentLength].flatMap { Int($0) }
        length = response.body.length ?? announced
        let isRefused = response.fields["Accept-Ranges"]?.lowercasedASCII() == "none"
        validator = isEncoded || isRefused || response.status != .ok ? nil : response.strongValidator
        state = Mutex(State(iterator: response.body.chunks.makeAsyncIterator(), total: length, left: left))
        continuations = left
        self.clock = clock
        self.resume = resume
    }

    /// Creates the rest of a content whose first `count` bytes were received before.
    init(after count: Int, of total: Int?, _ validator: String, left: Int, clock: WallClock, resume: @escaping Resume) {
        (length, self.validator) = (total, validator)
        state = Mutex(State(count: count, total: total, left: left))
        continuations = left
        self.clock = clock
        self.resume = resume
    }

    /// The total number of bytes, as far as it is known now.
    var total: Int? { state.withLock { $0.total } }

    /// Opens the first transfer of the rest.
    ///
    /// - Returns: The response; nil if everything has been received.
    /// - Throws: `HTTPError.contentChanged` if the content has changed.
    func begin() async throws -> HTTPResponse? {
        guard let validator else { throw HTTPError.contentChanged }
        var state = state.withLock { $0 }
        let response = try await open(&state, validator)
        let now = state
        self.state.withLock { $0 = now }
        return response
    }

    /// Returns the next bytes, or nil at the end.
    func next() async throws -> [UInt8]? {
        var state = state.withLock { $0 }
        while true {
            do {
                guard var piece = try await state.iterator?.next() else {
                    // The end of a part is the end of the content only if its total says so.
                    guard state.isPart || state.total != nil, state.count != state.total else { return nil }
                    // RFC 9110 §15.3.7: a part may be shorter than requested; this is not an interruption.
                    if state.hasProgressed, let validator {
                        guard try await open(&state, validator) != nil else { return nil }
                        continue
                    }
                    throw HTTPError.offline("The transfer was interrupted.")
                }
                let known = min(state.surplus, piece.count)
                state.surplus -= known
                piece.removeFirst(known)
                state.count += piece.count
                guard !piece.isEmpty else { continue }
                (state.left, state.hasProgressed) = (continuations, true)
                let now = state
                self.state.withLock { $0 = now }
                return piece
            } catch let error as HTTPError where error.isTransferFailure {
                guard let validator, state.left > 0 else { throw error }
                guard try await reopen(&state, validator) else { return nil }
            }
        }
    }

    /// Opens the next transfer, or the one after it if that fails immediately.
    ///
    /// - Returns: False if everything has been received.
    private func reopen(_ state: inout State, _ validator: String) async throws -> Bool {
        while true {
            let failures = continuations - state.left
            state.left -= 1
            try await clock.sleep(for: .seconds(min(1 << min(failures, 5), 30)))
            do {
                return try await open(&state, validator) != nil
            } catch let error as HTTPError where state.left > 0 && (error.isTransferFailure || error.isTemporary) {
                continue
            }
        }
    }

    /// Opens the next transfer.
    ///
    /// - Returns: The head of the response; nil if everything has been received.
    private func open(_ state: inout State, _ validator: String) async throws -> HTTPResponse? {
        let response = try await resume("bytes=\(state.count)-", validator)
        // RFC 9110 §15.5.17: no range begins at the end of the content. Only the end of the earlier transfer was
        // missing.
        if response.status.rawValue == 416 {
            // Without a total, the server may have replaced the content with a shorter one.
            guard (ContentRange(response.fields)?.total ?? state.total) == state.count else {
                throw HTTPError.contentChanged
            }
            return nil
        }
        (state.surplus, state.isPart) = try await surplus(in: response, &state)
        state.hasProgressed = false
        state.iterator = response.body.chunks.makeAsyncIterator()
        return HTTPResponse(status: response.status, fields: response.fields)
    }

    /// Returns the number of bytes at the start of a response that were received before, and whether it is a partial
    /// response.
    ///
    /// A partial response tells the total.
    ///
    /// - Throws: `HTTPError.contentChanged` if the rest belongs to other content, `.malformedMessage` if bytes before
    ///   it are missing.
    private func surplus(
        in response: HTTPResponse, _ state: inout State
    ) async throws -> (count: Int, isPart: Bool) {
        try await response.checkSuccess()
        let range = ContentRange(response.fields)
        // RFC 9110 §13.1.5: the whole content is sent if it has changed, or if the server does not support ranges. Some
        // proxies send a part with the status 200.
        let isPart = response.status == 206 || response.status == .ok && range?.first != nil
        // A server that has compared the validator need not repeat it. A weak validator proves nothing (RFC 9110
        // §15.3.7.3).
        let known =
            response.fields["ETag"] == nil
            ? response.strongValidator.map { $0 == validator } : response.strongValidator == validator
        guard isPart else {
            guard response.status == .ok, known == true else { throw HTTPError.contentChanged }
            return (state.count, false)
        }
        guard known ?? (response.status == 206), let range, let first = range.first,
            range.total == nil || state.total == nil || range.total == state.total
        else { throw HTTPError.contentChanged }
        // RFC 9110 §15.3.7: the server decides where a partial response begins.
        guard first <= state.count else {
            throw HTTPError.malformedMessage("The partial response begins after the requested byte.")
        }
        state.total = state.total ?? range.total
        return (state.count - first, true)
    }
}

/// The field `Content-Range` in bytes (RFC 9110 §14.4): `bytes 0-99/200`, `bytes 0-99/*` or `bytes */200`.
private struct ContentRange {
    /// The offset of the first byte; nil if the field has only the total.
    let first: Int?
    /// The total number of bytes; nil if the server does not know it.
    let total: Int?

    init?(_ fields: HTTPFields) {
        // RFC 9110 §14.1: the names of units are compared without case.
        guard let text = fields["Content-Range"], text.lowercasedASCII().utf8.starts(with: "bytes ".utf8) else {
            return nil
        }
        let parts = text.utf8.dropFirst(6).split(separator: UInt8(ascii: "/"))
        guard parts.count == 2 else { return nil }
        first = parts[0].split(separator: UInt8(ascii: "-")).first.flatMap { Int(Substring($0)) }
        total = Int(Substring(parts[1]))
    }
}

extension HTTPError {
    /// Whether the server has failed in a way that may be temporary, such as during its restart.
    fileprivate var isTemporary: Bool { isOfBusyServer || (response?.status.rawValue ?? 0) >= 500 }
}

extension HTTPResponse {
    /// A validator for an `If-Range` field: a strong entity tag, or a date that is old enough.
    ///
    /// RFC 9110 §8.8.2.2 and §13.1.5.
    fileprivate var strongValidator: String? {
        if let tag = fields["ETag"] { return tag.utf8.first == 0x22 ? tag : nil }
        guard let text = fields["Last-Modified"], let modified = HTTPDate(text),
            let sent = fields[.date].flatMap({ HTTPDate($0) }), sent.date.timeIntervalSince(modified.date) >= 60
        else { return nil }
        return text
    }
}
