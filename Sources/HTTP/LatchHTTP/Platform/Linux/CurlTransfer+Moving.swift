// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import CCurlShim

// What libcurl calls while a transfer is under way, on the thread of whoever drives the loop.
extension CurlTransfer {
    /// One line of the head, with its line end, as libcurl cuts them; false where the transfer is to stop.
    private func receiveHead(_ line: UnsafeRawBufferPointer) -> Bool {
        arrived += line.count
        // Every block begins with a status line: that of an interim answer (RFC 9110 §15.2) is forgotten with its fields.
        if line.starts(with: ResponseHead.protocolName) {
            guard answer == nil || isReadingHead || isInterim else {
                return refuse(.malformedMessage("\(authority) answered twice."))
            }
            head.removeAll(keepingCapacity: true)
            isReadingHead = true
            // RFC 9113 §8.1: a frame ends the answer; libcurl 7.88 would end it with the length, before the trailers.
            if wantsTrailers, line.starts(with: ResponseHead.secondProtocolName) { ignoreLength() }
        }
        // What comes after the empty line are trailers (RFC 9110 §6.5).
        guard isReadingHead else {
            if line.count > 2 { trailers.append(contentsOf: line) }
            // The answer is whole, and nobody needs the rest of the request.
            if !trailers.isEmpty { upload?.abandon() }
            return trailers.count <= ResponseHead.maximumBytes || refuse(.tooLarge)
        }
        if line.count <= 2, line.allSatisfy({ $0 == 0x0D || $0 == 0x0A }) {
            isReadingHead = false
            if patience != 0, !isInterim { begin() }
            return true
        }
        head.append(contentsOf: line)
        if upload != nil, hasTrailersAlone { upload?.abandon() }
        return head.count <= ResponseHead.maximumBytes || refuse(.tooLarge)
    }

    /// Whether the head says that another will follow: its status begins with a 1 (RFC 9110 §15.2).
    private var isInterim: Bool { statusClass == 0x31 }

    /// The first digit of the status, as ASCII.
    private var statusClass: UInt8? {
        guard let space = head.firstIndex(of: 0x20), space + 1 < head.count else { return nil }
        return head[space + 1]
    }

    /// The final head of a transfer with a stream is complete.
    private func begin() {
        lastMove = monotonicNow()
        if let statusClass, statusClass >= 0x33 { upload?.abandon() }
        answer?.begin(head)
    }

    /// A piece of the content, with all codings taken off; returns how much of it was taken, in libcurl's words.
    private func receiveContent(_ bytes: UnsafeRawBufferPointer) -> Int {
        arrived += bytes.count
        if let answer { return pass(bytes, to: answer) }
        guard content.count + bytes.count <= limits.collected else { return refuse(.tooLarge) ? 1 : 0 }
        if content.isEmpty {
            let announced = latch_curl_content_length(easy)
            guard announced <= limits.collected else { return refuse(.tooLarge) ? 1 : 0 }
            // An announcement costs the peer nothing, so not much memory is set aside for it.
            content.reserveCapacity(max(min(Int(announced), 1 << 20), bytes.count))
        }
        content.append(contentsOf: bytes)
        if patience != 0 { lastMove = monotonicNow() }
        return bytes.count
    }

    private func pass(_ bytes: UnsafeRawBufferPointer, to answer: AnswerFeed<[UInt8]>) -> Int {
        guard streamedBytes + bytes.count <= limits.streamed else { return refuse(.tooLarge) ? 1 : 0 }
        guard answer.receive(bytes) else { return Int(CURL_WRITEFUNC_PAUSE) }
        streamedBytes += bytes.count
        lastMove = monotonicNow()
        return bytes.count
    }

    /// Stops the transfer for a reason of ours; always false.
    private func refuse(_ reason: HTTPError) -> Bool {
        refusal = reason
        return false
    }

    /// Gives libcurl the next bytes of the request's content, or a code of its read callback.
    private func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let upload else { return Int(CURL_READFUNC_ABORT) }
        let result = upload.take(into: buffer)
        lastMove = monotonicNow()
        return result
    }

    /// Returns fewer bytes than it got where the transfer is to stop.
    static let onHead: curl_write_callback = { data, size, count, context in
        guard let data, let context else { return 0 }
        let line = UnsafeRawBufferPointer(start: data, count: size * count)
        return CurlTransfer.of(context).receiveHead(line) ? size * count : 0
    }

    static let onContent: curl_write_callback = { data, size, count, context in
        guard let data, let context else { return 0 }
        return CurlTransfer.of(context).receiveContent(UnsafeRawBufferPointer(start: data, count: size * count))
    }

    static let onUpload: curl_read_callback = { buffer, size, count, context in
        guard let buffer, let context else { return Int(CURL_READFUNC_ABORT) }
        return CurlTransfer.of(context).send(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
    }

    /// libcurl has to begin anew, since a kept connection turned out to be dead.
    static let onRewind: curl_seek_callback = { context, offset, origin in
        guard let context, offset == 0, origin == SEEK_SET, let upload = CurlTransfer.of(context).upload else {
            return CURL_SEEKFUNC_CANTSEEK
        }
        return upload.rewind() ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_CANTSEEK
    }
}

// What the driver asks and tells.
extension CurlTransfer {
    /// Whether the pace of the transfer has a limit, and not the whole.
    var isPaced: Bool { patience != 0 }

    /// When the peer has kept us waiting for too long; nil while we are the ones who keep it waiting.
    var expiry: UInt64? {
        guard upload?.isStarved != true, answer?.isHeld != true else { return nil }
        return lastMove + patience
    }

    /// What libcurl is to go on with: what was paused and need not be any longer.
    var pauses: CInt {
        (upload?.isStarved == true ? CURLPAUSE_SEND : 0) | (answer?.isHeld == true ? CURLPAUSE_RECV : 0)
    }

    /// Whether libcurl waits for the source of the request's content and for nothing else, so that nobody would notice
    /// that the peer has closed `socket`.
    func waitsForSource(reading isWatched: Bool, _ socket: CInt) -> Bool {
        unreadSocket = !isWatched && upload?.isStarved == true ? socket : nil
        return unreadSocket != nil
    }

    /// Tells those who stream that the transfer is over.
    func conclude() {
        upload?.close()
        if !trailers.isEmpty { answer?.follow(with: trailers) }
        answer?.end(Result { try check() })
    }
}
#endif
