// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchHTTP
import LatchServer

/// The line of a request in the log, written as bytes at once, since each request has one.
struct RequestLine {
    private(set) var bytes: [UInt8] = []

    /// Writes the line of a request, which ends with a newline.
    init(_ entry: AccessLogEntry, time: String, _ format: AccessLogFormat) {
        bytes.reserveCapacity(256)
        switch format {
        case .json: appendJSON(entry, time)
        case .logfmt: appendLogfmt(entry, time)
        case .text, .off: appendText(entry, time)
        }
        // Only what a client has sent can hold anything else; JSON escapes it.
        if format != .json, !bytes.allSatisfy({ (0x20...0x7E).contains($0) }) {
            bytes = Array(String(decoding: bytes, as: UTF8.self).printable.utf8)
        }
        bytes.append(0x0A)
    }

    private mutating func appendText(_ entry: AccessLogEntry, _ time: String) {
        bytes.append(utf8: time)
        bytes.append(0x20)
        bytes.append(utf8: entry.method.rawValue)
        bytes.append(0x20)
        bytes.append(utf8: entry.path)
        bytes.append(0x20)
        if let status = entry.status { append(status.rawValue) } else { bytes.append(0x2D) }
        bytes.append(0x20)
        append(tenths: entry.duration)
        bytes.append(utf8: "ms ")
        bytes.append(utf8: entry.requestID ?? "-")
        if let failure = entry.failure {
            bytes.append(0x20)
            bytes.append(utf8: failure)
        }
    }

    private mutating func appendJSON(_ entry: AccessLogEntry, _ time: String) {
        bytes.append(utf8: #"{"time":""#)
        bytes.append(utf8: time)
        bytes.append(utf8: #"","method":"#)
        append(quoted: entry.method.rawValue)
        bytes.append(utf8: #","path":"#)
        append(quoted: entry.path)
        bytes.append(utf8: #","status":"#)
        if let status = entry.status { append(status.rawValue) } else { bytes.append(utf8: "null") }
        bytes.append(utf8: #","milliseconds":"#)
        append(tenths: entry.duration)
        bytes.append(utf8: #","request_id":"#)
        if let id = entry.requestID { append(quoted: id) } else { bytes.append(utf8: "null") }
        if let failure = entry.failure {
            bytes.append(utf8: #","failure":"#)
            append(quoted: failure)
        }
        bytes.append(0x7D)
    }

    private mutating func appendLogfmt(_ entry: AccessLogEntry, _ time: String) {
        bytes.append(utf8: "time=")
        bytes.append(utf8: time)
        append(" method=", word: entry.method.rawValue)
        append(" path=", word: entry.path)
        if let status = entry.status {
            bytes.append(utf8: " status=")
            append(status.rawValue)
        }
        bytes.append(utf8: " milliseconds=")
        append(tenths: entry.duration)
        if let id = entry.requestID { append(" request_id=", word: id) }
        if let failure = entry.failure { append(" failure=", word: failure) }
    }

    /// Appends a whole number that is not negative.
    private mutating func append(_ number: Int) { bytes.append(utf8: String(number)) }

    /// Appends milliseconds with one decimal.
    private mutating func append(tenths duration: Duration) {
        let tenths = Int((duration.inSeconds * 10_000).rounded())
        append(tenths / 10)
        bytes.append(0x2E)
        bytes.append(0x30 + UInt8(tenths % 10))
    }

    private mutating func append(_ name: String, word: String) {
        bytes.append(utf8: name)
        if word.isLogfmtWord { bytes.append(utf8: word) } else { append(quoted: word) }
    }

    /// Appends a text as JSON.
    private mutating func append(quoted text: String) {
        guard allBytes(of: text, are: { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }) else {
            return bytes.append(contentsOf: JSONValue.string(text).serialized())
        }
        bytes.append(0x22)
        bytes.append(utf8: text)
        bytes.append(0x22)
    }
}
