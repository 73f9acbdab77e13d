// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchHTTP
import LatchServer

/// The log line of a request, written directly as bytes, because every request has one.
enum RequestLine {
    /// Calls `body` with the line of a request, which ends with a newline.
    static func withBytes(
        of entry: AccessLogEntry, time: String, _ format: AccessLogFormat, _ body: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        withTexts { line in
            switch format {
            case .json: writeJSON(entry, time, to: &line)
            case .logfmt: writeLogfmt(entry, time, to: &line)
            case .text, .off: writeText(entry, time, to: &line)
            }
            line.append(literal: "\n")
        } _: { bytes in
            let content = UnsafeBufferPointer(rebasing: bytes.dropLast())
            guard !content.isPrintableASCII else { return body(bytes) }
            // Only text from a client can contain other characters.
            let text = String(decoding: content, as: UTF8.self)
            Array("\(format == .json ? text.printableJSON : text.printable)\n".utf8).withUnsafeBufferPointer(body)
        }
    }

    private static func writeText(_ entry: AccessLogEntry, _ time: String, to line: inout TextWriter) {
        line.append(time)
        line.append(literal: " ")
        line.append(entry.method.rawValue)
        line.append(literal: " ")
        line.append(entry.path)
        line.append(literal: " ")
        if let status = entry.status { line.append(status.rawValue) } else { line.append(literal: "-") }
        line.append(literal: " ")
        line.append(tenths: entry.duration)
        line.append(literal: "ms ")
        line.append(entry.requestID ?? "-")
        if let failure = entry.failure {
            line.append(literal: " ")
            line.append(failure)
        }
        if let refusal = entry.refusal {
            line.append(literal: " ")
            line.append(refusal)
        }
    }

    private static func writeJSON(_ entry: AccessLogEntry, _ time: String, to line: inout TextWriter) {
        line.append(literal: #"{"time":""#)
        line.append(time)
        line.append(literal: #"","method":"#)
        line.append(entry.method.rawValue.quoted)
        line.append(literal: #","path":"#)
        line.append(entry.path.quoted)
        line.append(literal: #","status":"#)
        if let status = entry.status { line.append(status.rawValue) } else { line.append(literal: "null") }
        line.append(literal: #","milliseconds":"#)
        line.append(tenths: entry.duration)
        line.append(literal: #","request_id":"#)
        line.append(entry.requestID?.quoted ?? "null")
        if let failure = entry.failure {
            line.append(literal: #","failure":"#)
            line.append(failure.quoted)
        }
        if let refusal = entry.refusal {
            line.append(literal: #","refusal":"#)
            line.append(refusal.quoted)
        }
        line.append(literal: "}")
    }

    private static func writeLogfmt(_ entry: AccessLogEntry, _ time: String, to line: inout TextWriter) {
        line.append(literal: "time=")
        line.append(time)
        line.append(literal: " method=")
        line.append(entry.method.rawValue.logfmtValue)
        line.append(literal: " path=")
        line.append(entry.path.logfmtValue)
        if let status = entry.status {
            line.append(literal: " status=")
            line.append(status.rawValue)
        }
        line.append(literal: " milliseconds=")
        line.append(tenths: entry.duration)
        if let id = entry.requestID {
            line.append(literal: " request_id=")
            line.append(id.logfmtValue)
        }
        if let failure = entry.failure {
            line.append(literal: " failure=")
            line.append(failure.logfmtValue)
        }
        if let refusal = entry.refusal {
            line.append(literal: " refusal=")
            line.append(refusal.logfmtValue)
        }
    }
}

extension TextWriter {
    /// Appends milliseconds with one decimal.
    fileprivate mutating func append(tenths duration: Duration) {
        let tenths = duration.tenthsOfMilliseconds
        append(tenths / 10)
        append(literal: ".")
        append(tenths % 10)
    }
}

extension Duration {
    /// The duration in tenths of milliseconds, rounded.
    var tenthsOfMilliseconds: Int { Int((inSeconds * 10_000).rounded()) }
}

extension String {
    /// The text as a value in logfmt: a single word unchanged, any other text quoted as in JSON.
    var logfmtValue: String {
        let isWord = allBytes(of: self) { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x3D && $0 != 0x5C }
        return isWord && !isEmpty ? self : quoted
    }

    /// The text as JSON.
    fileprivate var quoted: String {
        guard allBytes(of: self, are: { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }) else {
            return String(decoding: JSONValue.string(self).serialized(), as: UTF8.self)
        }
        return "\"\(self)\""
    }
}
