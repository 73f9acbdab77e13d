// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl

/// A message as libcurl reads it, piece by piece; libcurl itself doubles the dots that begin a line.
final class MailContent: @unchecked Sendable {
    private let bytes: [UInt8]
    private var offset = 0

    /// RFC 5321 §2.3.8: lines end with CRLF, and CR and LF occur in no other way.
    init(_ message: [UInt8]) {
        var lines: [UInt8] = []
        lines.reserveCapacity(message.count + 64)
        var previous: UInt8 = 0
        for byte in message {
            switch byte {
            case 0x0A where previous == 0x0D: break
            case 0x0A, 0x0D: lines += [0x0D, 0x0A]
            default: lines.append(byte)
            }
            previous = byte
        }
        bytes = lines
    }

    /// How many bytes there are after the line ends were made whole: what is announced as SIZE (RFC 1870).
    var count: Int { bytes.count }

    /// Copies the next piece; 0 says that there is none left.
    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let piece = bytes[offset...].prefix(buffer.count)
        buffer.copyBytes(from: piece)
        offset += piece.count
        return piece.count
    }

    /// libcurl's way to ask for more, on the thread of whoever drives the loop.
    static let onRead: curl_read_callback = { buffer, size, count, context in
        guard let buffer, let context else { return Int(CURL_READFUNC_ABORT) }
        let content = Unmanaged<MailContent>.fromOpaque(context).takeUnretainedValue()
        return content.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
    }
}

/// The list of recipients that libcurl reads while it sends; it frees its nodes with itself.
final class MailEnvelope: @unchecked Sendable {
    private(set) var list: UnsafeMutablePointer<curl_slist>?

    /// A list of addresses that were checked: an angle bracket in one would begin another command's argument.
    init(recipients: [String]) {
        for recipient in recipients { list = curl_slist_append(list, "<\(recipient)>") ?? list }
    }

    deinit { curl_slist_free_all(list) }
}
#endif
