// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore

/// The objects of a file, one after the other: of JSON lines, of a JSON array, of a member of one JSON object, or of a
/// CSV file (RFC 4180), whose first row names the members.
///
/// JSON lines and CSV are read as they come, so that a file may be larger than the memory. Other JSON is read whole.
struct RecordFile {
    /// A numbered object, from 1, or the error at its place.
    struct Entry {
        let number: Int
        let record: Result<JSONObject, CommandError>
    }

    /// The longest line of JSON lines and of CSV in bytes.
    private static let longestLine = 1 << 20
    /// The largest file of JSON that is read whole.
    private static let largestWhole = 512 << 20

    private enum Form {
        case lines
        case csv(header: [String])
        case whole([JSONValue])
    }

    private let name: String
    private var lines: Lines
    private var form = Form.lines
    /// Lines that were read to recognize the form.
    private var waiting: [[UInt8]] = []
    private var number = 0

    /// Opens a file and recognizes its form.
    ///
    /// - Parameters:
    ///   - path: The path; `-` for the standard input.
    ///   - members: The members in which one JSON object may hold the list, such as `users`.
    init(_ path: String, list members: [String], _ environment: Environment) async throws {
        name = path == "-" ? "The standard input" : "'\(path)'"
        lines =
            path == "-"
            ? .input(environment.input.lines(Self.largestWhole).makeAsyncIterator())
            : .file(try FileLines(path, Self.largestWhole))
        var first = try await line()
        while let line = first, line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { first = try await self.line() }
        guard var first else { return }
        if first.starts(with: [0xEF, 0xBB, 0xBF]) { first.removeFirst(3) }
        switch first.first(where: { $0 != 0x20 && $0 != 0x09 }) {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let value = first.count > Self.longestLine ? nil : try? JSONValue(parsing: first)
            if let object = value?.objectValue, !members.contains(where: { object[$0]?.arrayValue != nil }) {
                waiting = [first]
            } else {
                form = .whole(try await whole(from: first, list: members))
            }
        default:
            guard let header = try await row(from: first) else {
                throw failure(at: 1, "a quotation mark is not closed")
            }
            guard Set(header).count == header.count, !header.contains("") else {
                throw CommandError.failed(
                    "\(name) has no row with the names of the columns.",
                    hint: "Write it into the first row, each name once, or export JSON.")
            }
            form = .csv(header: header)
        }
    }

    /// Returns the next object; nil at the end.
    mutating func next() async throws -> Entry? {
        switch form {
        case .whole(let values):
            guard number < values.count else { return nil }
            number += 1
            return entry(values[number - 1].objectValue.map { .success($0) } ?? .failure(noObject))
        case .lines:
            guard let line = try await content() else { return nil }
            number += 1
            do {
                return entry((try JSONValue(parsing: line)).objectValue.map { .success($0) } ?? .failure(noObject))
            } catch {
                return entry(.failure(.failed("The line is not JSON (\(error)).", hint: "Write one object in a line.")))
            }
        case .csv(let header):
            guard let line = try await content() else { return nil }
            number += 1
            guard let fields = try await row(from: line) else {
                throw failure(at: number, "a quotation mark is not closed")
            }
            guard fields.count == header.count else {
                return entry(
                    .failure(
                        .failed(
                            "The row has \(fields.count) columns, and the first row \(header.count).",
                            hint: "Put fields with a comma into quotation marks.")))
            }
            var object = JSONObject()
            for (name, field) in zip(header, fields) { object[name] = .string(field) }
            return entry(.success(object))
        }
    }

    private var noObject: CommandError { .failed("The record is not a JSON object.", hint: nil) }

    private func entry(_ record: Result<JSONObject, CommandError>) -> Entry { Entry(number: number, record: record) }

    /// Returns the next line that is not empty.
    private mutating func content() async throws -> [UInt8]? {
        while let line = waiting.isEmpty ? try await self.line() : waiting.removeFirst() {
            guard line.count <= Self.longestLine else {
                throw failure(at: number + 1, "its line is longer than \(Self.longestLine >> 10) KiB")
            }
            if !line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { return line }
        }
        return nil
    }

    private mutating func line() async throws -> [UInt8]? {
        try await lines.next()
    }

    /// Returns the fields of a row, whose last field may continue in the next lines; nil if the file ends in it.
    private mutating func row(from line: [UInt8]) async throws -> [String]? {
        var row = CSVRow()
        row.append(line)
        while row.isOpen {
            guard let next = try await self.line(), row.size + next.count <= Self.longestLine else { return nil }
            row.append(next)
        }
        guard let fields = row.fields else { throw failure(at: number + 1, "it is not text in UTF-8") }
        return fields
    }

    private mutating func whole(from first: [UInt8], list members: [String]) async throws -> [JSONValue] {
        var bytes = first
        while let line = try await lines.next() {
            guard bytes.count + line.count <= Self.largestWhole else {
                throw CommandError.failed(
                    "\(name) is larger than \(Self.largestWhole >> 20) MiB.",
                    hint: "Write it as JSON lines, one object in a line.")
            }
            bytes += [0x0A] + line
        }
        let value: JSONValue
        do {
            value = try JSONValue(
                parsing: bytes, limits: JSONLimits(depth: 64, bytes: Self.largestWhole, values: Self.largestWhole))
        } catch {
            throw CommandError.failed("\(name) is not JSON (\(error)).", hint: "Export it again.")
        }
        func list(of value: JSONValue) -> [JSONValue]? { members.lazy.compactMap { value[$0]?.arrayValue }.first }
        // Several realms are an array of objects, each with a list.
        if let values = value.arrayValue { return values.flatMap { list(of: $0) ?? [$0] } }
        if let list = list(of: value) { return list }
        throw CommandError.failed(
            "\(name) has no list of accounts.",
            hint: "It must be JSON lines, an array, CSV, or an object with one of \(members.joined(separator: ", ")).")
    }

    private func failure(at number: Int, _ reason: String) -> CommandError {
        .failed("\(name) cannot be read at record \(number): \(reason).", hint: "Export it again.")
    }
}

/// The lines of a file or of the standard input.
private enum Lines {
    case input(AsyncThrowingStream<[UInt8], any Error>.AsyncIterator)
    case file(FileLines)

    mutating func next() async throws -> [UInt8]? {
        switch self {
        case .input(var iterator):
            defer { self = .input(iterator) }
            return try await iterator.next()
        case .file(var lines):
            defer { self = .file(lines) }
            return try lines.next()
        }
    }
}

/// The lines of a file, read in parts.
private struct FileLines {
    private let file: SequentialFile
    private let limit: Int
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    init(_ path: String, _ limit: Int) throws(CommandError) {
        self.limit = limit
        do { file = try SequentialFile(path) } catch {
            throw .failed("'\(path)' cannot be read: \(error)", hint: "Give a file that this user may read.")
        }
    }

    /// Returns the next line without its line break; one that is too long is cut one byte after the limit.
    mutating func next() throws -> [UInt8]? {
        while true {
            if let end = buffer[start...].firstIndex(of: 0x0A) {
                defer { start = end + 1 }
                return Array(buffer[start..<end].prefix(limit + 1))
            }
            if isAtEnd || buffer.count - start > limit {
                defer { start = buffer.count }
                return start < buffer.count ? Array(buffer[start...].prefix(limit + 1)) : nil
            }
            buffer.removeFirst(start)
            start = 0
            let part = try file.read(1 << 18)
            isAtEnd = part.count < 1 << 18
            buffer += part
        }
    }
}

/// A row of a CSV file (RFC 4180), whose quoted fields may continue in the next line.
struct CSVRow {
    private var bytes: [[UInt8]] = [[]]
    /// Whether a quoted field is not closed.
    private(set) var isOpen = false
    /// Whether the last byte closed a quoted field, or was half of a quotation mark.
    private var isAfterQuote = false
    private(set) var size = 0

    /// Appends a line without its line break.
    mutating func append(_ line: [UInt8]) {
        if isOpen { bytes[bytes.count - 1].append(0x0A) }
        size += line.count + 1
        for (index, byte) in line.enumerated() {
            switch byte {
            case UInt8(ascii: "\"") where isAfterQuote:
                bytes[bytes.count - 1].append(byte)
                (isOpen, isAfterQuote) = (true, false)
            case UInt8(ascii: "\"") where isOpen: (isOpen, isAfterQuote) = (false, true)
            case UInt8(ascii: "\"") where bytes[bytes.count - 1].isEmpty: isOpen = true
            case UInt8(ascii: ",") where !isOpen:
                bytes.append([])
                isAfterQuote = false
            // The line break may be two bytes.
            case 0x0D where !isOpen && index == line.count - 1: isAfterQuote = false
            default:
                bytes[bytes.count - 1].append(byte)
                isAfterQuote = false
            }
        }
        isAfterQuote = false
    }

    /// The fields; nil if one is not text in UTF-8.
    var fields: [String]? {
        let texts = bytes.map { String(validating: $0, as: UTF8.self) }
        return texts.contains(nil) ? nil : texts.compactMap(\.self)
    }
}
