// SPDX-License-Identifier: Apache-2.0

/// The same user in the second design: a plain struct, and code that names each field to read and write it.
struct PlainUser: Hashable, Sendable {
    var id = ""
    var email = ""
    var username = ""
    var firstName = ""
    var lastName = ""
    var displayName = ""
    var avatarURL = ""
    var role = TableRole.unspecified
    var status = TableRole.unspecified
    var verified = false
    var createdAt: PlainTime?
    var updatedAt: PlainTime?
    var lastLoginAt: PlainTime?
    var permissions: [String] = []
    var scores: [Int32] = []
    var reputation = 0.0
    var unknown: [UInt8] = []

    func write(to writer: inout PlainWriter) {
        writer.raw(unknown)
        writer.fixed(reputation.bitPattern, 18 << 3 | 1)
        if !scores.isEmpty {
            let before = writer.count
            for score in scores.reversed() {
                writer.reserve(10)
                writer.varint(UInt64(bitPattern: Int64(score)))
            }
            writer.head(17 << 3 | 2, since: before)
        }
        for permission in permissions.reversed() { writer.text(permission, 16 << 3 | 2) }
        lastLoginAt?.write(to: &writer, 13 << 3 | 2)
        updatedAt?.write(to: &writer, 12 << 3 | 2)
        createdAt?.write(to: &writer, 11 << 3 | 2)
        writer.number(verified ? 1 : 0, 10 << 3)
        writer.number(UInt64(bitPattern: Int64(status.rawValue)), 9 << 3)
        writer.number(UInt64(bitPattern: Int64(role.rawValue)), 8 << 3)
        if !avatarURL.isEmpty { writer.text(avatarURL, 7 << 3 | 2) }
        if !displayName.isEmpty { writer.text(displayName, 6 << 3 | 2) }
        if !lastName.isEmpty { writer.text(lastName, 5 << 3 | 2) }
        if !firstName.isEmpty { writer.text(firstName, 4 << 3 | 2) }
        if !username.isEmpty { writer.text(username, 3 << 3 | 2) }
        if !email.isEmpty { writer.text(email, 2 << 3 | 2) }
        if !id.isEmpty { writer.text(id, 1 << 3 | 2) }
    }

    mutating func read(from reader: inout PlainReader) throws(PlainFailure) {
        while reader.at < reader.end {
            let start = reader.at
            let tag = try reader.varint()
            switch tag {
            case 1 << 3 | 2: id = try reader.text()
            case 2 << 3 | 2: email = try reader.text()
            case 3 << 3 | 2: username = try reader.text()
            case 4 << 3 | 2: firstName = try reader.text()
            case 5 << 3 | 2: lastName = try reader.text()
            case 6 << 3 | 2: displayName = try reader.text()
            case 7 << 3 | 2: avatarURL = try reader.text()
            case 8 << 3: role = Self.role(try reader.varint())
            case 9 << 3: status = Self.role(try reader.varint())
            case 10 << 3: verified = try reader.varint() != 0
            case 11 << 3 | 2: try PlainTime.read(into: &createdAt, from: &reader)
            case 12 << 3 | 2: try PlainTime.read(into: &updatedAt, from: &reader)
            case 13 << 3 | 2: try PlainTime.read(into: &lastLoginAt, from: &reader)
            case 16 << 3 | 2: permissions.append(try reader.text())
            case 17 << 3: scores.append(Int32(truncatingIfNeeded: try reader.varint()))
            case 17 << 3 | 2: try readScores(from: &reader)
            case 18 << 3 | 1: reputation = Double(bitPattern: try reader.fixed())
            default: try reader.skip(tag, from: start, into: &unknown)
            }
        }
    }

    private mutating func readScores(from reader: inout PlainReader) throws(PlainFailure) {
        let length = try reader.length()
        var inner = PlainReader(at: reader.at, end: reader.at + length)
        scores.reserveCapacity(UnsafeBufferPointer(start: reader.at, count: length).count { $0 < 0x80 })
        while inner.at < inner.end { scores.append(Int32(truncatingIfNeeded: try inner.varint())) }
        reader.at = inner.end
    }

    private static func role(_ number: UInt64) -> TableRole {
        let number = Int32(truncatingIfNeeded: number)
        return TableRole(rawValue: number) ?? .unrecognized(number)
    }
}

/// A moment, in the second design.
struct PlainTime: Hashable, Sendable {
    var seconds: Int64 = 0
    var nanos: Int32 = 0
    var unknown: [UInt8] = []

    func write(to writer: inout PlainWriter, _ tag: UInt64) {
        let before = writer.count
        writer.raw(unknown)
        writer.number(UInt64(bitPattern: Int64(nanos)), 2 << 3)
        writer.number(UInt64(bitPattern: seconds), 1 << 3)
        writer.head(tag, since: before)
    }

    static func read(into time: inout PlainTime?, from reader: inout PlainReader) throws(PlainFailure) {
        let length = try reader.length()
        var inner = PlainReader(at: reader.at, end: reader.at + length)
        var value = time ?? PlainTime()
        while inner.at < inner.end {
            let start = inner.at
            let tag = try inner.varint()
            switch tag {
            case 1 << 3: value.seconds = Int64(bitPattern: try inner.varint())
            case 2 << 3: value.nanos = Int32(truncatingIfNeeded: try inner.varint())
            default: try inner.skip(tag, from: start, into: &value.unknown)
            }
        }
        time = value
        reader.at = inner.end
    }
}

/// A page of users, in the second design.
struct PlainList: Hashable, Sendable {
    var users: [PlainUser] = []
    var unknown: [UInt8] = []

    func write(to writer: inout PlainWriter) {
        writer.raw(unknown)
        for user in users.reversed() {
            let before = writer.count
            user.write(to: &writer)
            writer.head(1 << 3 | 2, since: before)
        }
    }

    mutating func read(from reader: inout PlainReader) throws(PlainFailure) {
        while reader.at < reader.end {
            let start = reader.at
            let tag = try reader.varint()
            guard tag == 1 << 3 | 2 else {
                try reader.skip(tag, from: start, into: &unknown)
                continue
            }
            let length = try reader.length()
            var inner = PlainReader(at: reader.at, end: reader.at + length)
            var user = PlainUser()
            try user.read(from: &inner)
            users.append(user)
            reader.at = inner.end
        }
    }
}
