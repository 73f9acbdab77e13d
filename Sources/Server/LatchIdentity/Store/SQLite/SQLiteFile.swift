// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// What must hold of a store's file before SQLite may touch it.
enum SQLiteFile {
    /// What the first page of a file says about it (https://sqlite.org/fileformat2.html#the_database_header).
    struct Header {
        /// Our schema's number, at byte 60.
        let userVersion: Int
        /// Whose file it is, at byte 68.
        let applicationID: Int
    }

    /// Creates the file, for its owner only, where there is none; otherwise makes sure that it is ours to open.
    ///
    /// Everything is decided by reading: a file that is refused is left as it is, byte for byte.
    static func prepare(_ path: String, knownSchema: Int, applicationID: Int) throws(IdentityError) {
        let folder = folder(of: path)
        try requireFolder(folder)
        guard let attributes = attributes(path) else { return try create(path, in: folder) }
        guard attributes[.type] as? FileAttributeType == .typeRegular else {
            throw .storeUnavailable("\(path) is not a file")
        }
        try requireWritable(path, attributes)
        guard let header = try header(path) else { return }
        guard header.applicationID == applicationID else { throw .notADatabase(path) }
        guard header.userVersion <= knownSchema else {
            throw .newerSchema(found: header.userVersion, known: knownSchema)
        }
    }

    /// The folder is not made: a store at a mistyped path would begin empty, and look like the loss of all accounts.
    private static func requireFolder(_ folder: String) throws(IdentityError) {
        guard let attributes = attributes(folder), attributes[.type] as? FileAttributeType == .typeDirectory else {
            throw .storeUnavailable("its folder \(folder) does not exist")
        }
        try requireWritable(folder, attributes)
    }

    /// The permissions decide, and not whether this process could ignore them: root too leaves a read-only store alone.
    private static func requireWritable(
        _ path: String, _ attributes: [FileAttributeKey: Any]
    ) throws(IdentityError) {
        let permissions = (attributes[.posixPermissions] as? UInt) ?? 0
        guard permissions & 0o222 != 0, FileManager.default.isWritableFile(atPath: path) else {
            throw .readOnlyStore(path)
        }
    }

    /// Makes an empty file without touching one that another server, starting at once, has made meanwhile: that one may
    /// already hold its first accounts.
    private static func create(_ path: String, in folder: String) throws(IdentityError) {
        do {
            try Data().write(to: URL(filePath: path), options: .withoutOverwriting)
            // The log files beside it get the same permissions from SQLite.
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        } catch let error as CocoaError where error.code == .fileWriteFileExists {
            return
        } catch {
            throw .readOnlyStore(folder)
        }
    }

    /// The header of a file; nil for an empty one, which SQLite takes for a new store.
    ///
    /// What still stands in a log beside the file is not seen here, and is checked again by the migration.
    private static func header(_ path: String) throws(IdentityError) -> Header? {
        let bytes: [UInt8]
        do {
            bytes = [UInt8](try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe).prefix(100))
        } catch {
            throw .storeUnavailable("\(path) cannot be read")
        }
        guard !bytes.isEmpty else { return nil }
        guard bytes.count == 100, bytes.starts(with: Array("SQLite format 3\0".utf8)) else { throw .notADatabase(path) }
        let number = { (offset: Int) in bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        return Header(userVersion: number(60), applicationID: number(68))
    }

    /// The file's number in its file system, by which a file that took another's name is known; nil where there is none.
    static func number(of path: String) -> UInt? { attributes(path)?[.systemFileNumber] as? UInt }

    private static func attributes(_ path: String) -> [FileAttributeKey: Any]? {
        do {
            return try FileManager.default.attributesOfItem(atPath: path)
        } catch {
            return nil  // There is nothing of that name that this user may see.
        }
    }

    /// The part before the last slash; the working directory where there is none.
    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
