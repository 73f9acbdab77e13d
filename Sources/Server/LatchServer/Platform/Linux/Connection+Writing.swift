// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import LatchHTTP

extension Connection {
    /// Answers bytes that are no request that we serve, and takes no further one from this connection.
    func refuse(_ refusal: Refusal) {
        closesAfterwards = true
        (head, decoder) = (nil, nil)
        holdContent(0)
        (input, inputStart) = ([], 0)
        write(.problem(status: refusal.status, code: nil, detail: refusal.reason), isHead: false)
    }

    /// Makes the output of a response.
    func write(_ response: HTTPResponse, isHead: Bool) {
        let asksToClose = response.fields["Connection"]?.lowercased() == "close"
        closesAfterwards = closesAfterwards || asksToClose || isDraining
        // Trailers need chunks (RFC 9112 §7.1), also where all of the content is there.
        let trailers = response.body.stream == nil && takesChunks ? response.body.trailers : [:]
        let isChunked = takesChunks && (response.body.length == nil || !trailers.isEmpty)
        let writer = ResponseWriter(
            date: loop.dateClock.text(), isHead: isHead, closes: closesAfterwards, isChunked: isChunked)
        phase = .writing
        deadline = loop.now &+ loop.terms.idleTimeout
        do throws(HTTPError) {
            try writer.write(response, into: &output)
        } catch {
            return write(.problem(status: .internalServerError), isHead: isHead)
        }
        guard writer.hasContent(response) else { return }
        if let stream = response.body.stream { return begin(stream, isChunked: isChunked) }
        if isChunked {
            ResponseWriter.appendChunks(of: response.body.bytes, trailers: trailers, to: &output)
        } else if response.body.bytes.count <= 16384 {
            output.append(contentsOf: response.body.bytes)
        } else {
            (content, contentStart) = (response.body.bytes, 0)
        }
    }

    /// Writes what is left of the output, and begins anew when all is written; false when the socket is full.
    func writeOutput() -> Bool {
        guard flushOutput() else { return phase == .closed }
        if closesAfterwards { beginLingering() } else { beginNextRequest() }
        return true
    }

    /// Whether everything is written.
    @discardableResult
    func flushOutput() -> Bool {
        while outputStart < output.count || contentStart < content.count {
            guard isWritable else { return false }
            let outcome = output.withUnsafeBytes { first in
                content.withUnsafeBytes { second in
                    stream.write(
                        UnsafeRawBufferPointer(rebasing: first[outputStart...]),
                        UnsafeRawBufferPointer(rebasing: second[contentStart...]))
                }
            }
            switch outcome {
            case .moved(let count): consume(count)
            case .wouldBlock: isWritable = false
            case .ended:
                close()
                return false
            }
        }
        (outputStart, content, contentStart) = (0, [], 0)
        output.removeAll(keepingCapacity: output.capacity <= 65536)
        return true
    }

    /// Counts what the socket took, of the head and of the content behind it, and moves the deadline for it.
    private func consume(_ count: Int) {
        let ofOutput = min(count, output.count - outputStart)
        outputStart += ofOutput
        contentStart += count - ofOutput
        if phase == .writing || phase == .streaming {
            deadline = loop.terms.pace.deadline(deadline, afterWriting: count, now: loop.now)
        }
    }

    /// The answer is out: pipelined bytes in the input are a request that has begun, others are awaited.
    private func beginNextRequest() {
        phase = .head
        scanner = HeadScanner()
        (hasHeadBegun, hasSkippedEmptyLine) = (false, false)
        deadline = loop.now &+ loop.terms.idleTimeout
        if isDraining, inputStart == input.count { close() }
    }

    /// RFC 9112 §9.6: closes in stages.
    ///
    /// Two seconds are a few round trips, and bound what a client gets from it.
    private func beginLingering() {
        stream.endWriting()
        phase = .lingering
        deadline = loop.now &+ 2_000_000_000
    }
}

#endif
