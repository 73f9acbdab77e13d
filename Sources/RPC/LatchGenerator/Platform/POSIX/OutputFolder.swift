// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchProtoCompiler

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A folder whose files are written and removed through descriptors of its subfolders; links are not followed.
///
/// Another program can replace a folder with a link at any moment. A path would then lead out of the folder.
final class OutputFolder: Sendable {
    /// The path, for errors.
    private let path: String
    /// The descriptor of the nearest existing folder; for a relative path, of the working directory.
    private let base: Int32
    /// The folders from `base` to this one.
    private let prefix: [String]

    /// Opens a folder; missing ones are created with the first file.
    ///
    /// - Parameter root: The folder of the repository that has chosen the path; nil if a user has chosen it.
    init(_ path: String, within root: String? = nil) throws(FileError) {
        self.path = path
        guard !path.hasControls else { throw FileError("open", path, number: EINVAL) }
        let (existing, missing) = Self.split(path, within: root)
        prefix = missing
        base = open(existing, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard base >= 0 else { throw FileError("open", existing) }
    }

    /// Returns a folder to open by its path, and the names from there to the target folder, which must not be links.
    ///
    /// The repository controls the parts within `root`, and all parts of other relative paths. The user controls the
    /// path to `root`, because the user has named the file in it, so that path may contain links. For other absolute
    /// paths, the last part is also opened by name. So if a link replaces it, the link is not followed.
    static func split(_ path: String, within root: String?) -> (existing: String, rest: [String]) {
        let parts = path.pathParts.filter { $0 != "." }
        guard path.utf8.first == UInt8(ascii: "/") else {
            guard let root, root.utf8.first != UInt8(ascii: "/") else { return (".", parts) }
            let outer = root.pathParts.filter { $0 != "." }
            let isWithin = zip(outer, parts).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
            guard isWithin, !outer.isEmpty, outer.count <= parts.count else { return (".", parts) }
            return (root, Array(parts[outer.count...]))
        }
        if let root, root.utf8.first == UInt8(ascii: "/") {
            let (outer, inner) = (folded(root), folded(path))
            let isWithin = zip(outer, inner).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
            if isWithin, outer.count <= inner.count { return (root, Array(inner.dropFirst(outer.count))) }
        }
        var count = max(0, parts.count - 1)
        while count > 0, access("/" + parts[..<count].joined(separator: "/") + "/.", F_OK) != 0 { count -= 1 }
        return ("/" + parts[..<count].joined(separator: "/"), Array(parts[count...]))
    }

    /// Returns the parts of a path; `..` removes the part before it.
    private static func folded(_ path: String) -> [String] {
        path.pathParts.reduce(into: []) { parts, part in
            switch part {
            case ".": break
            case "..": _ = parts.popLast()
            default: parts.append(part)
            }
        }
    }

    deinit { close(base) }

    /// The created folders, outermost first, as paths from `base`.
    typealias Made = [[String]]

    /// Returns the folder of a file within this folder, as names from `base`, and the file's name.
    fileprivate func parts(of file: String) -> (folder: [String], name: String) {
        let parts = file.pathParts
        return (prefix + parts.dropLast(), parts.last ?? "")
    }

    /// Returns a descriptor of a folder, which the caller closes.
    ///
    /// - Parameter made: Receives the folders that were created; if nil, none is created.
    fileprivate func descend(_ parts: [String], making made: UnsafeMutablePointer<Made>? = nil) throws(FileError)
        -> Int32
    {
        var current = dup(base)
        guard current >= 0 else { throw FileError("dup", path) }
        for (index, part) in parts.enumerated() {
            let outer = current
            defer { close(outer) }
            current = openat(outer, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if current < 0, errno == ENOENT, let made {
                if mkdirat(outer, part, 0o777) == 0 {
                    made.pointee.append(Array(parts[...index]))
                } else if errno != EEXIST {
                    throw FileError("mkdir", shown(parts[...index]))
                }
                current = openat(outer, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            }
            guard current >= 0 else { throw FileError("open", shown(parts[...index])) }
        }
        return current
    }

    /// Returns a path for an error.
    fileprivate func shown(_ parts: some Sequence<String>) -> String {
        ([path] + parts.dropFirst(prefix.count)).joined(separator: "/")
    }

    /// Removes a file and any folders above it that become empty; a missing file is not an error.
    func remove(_ file: String) throws(FileError) {
        let (folder, name) = parts(of: file)
        let descriptor: Int32
        do throws(FileError) { descriptor = try descend(folder) } catch {
            if error.reason == .missing { return }
            throw error
        }
        defer { close(descriptor) }
        guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
            throw FileError("unlink", shown(folder + [name]))
        }
        for count in stride(from: folder.count, to: prefix.count, by: -1) {
            guard removeFolder(Array(folder[..<count])) else { return }
        }
    }

    /// Removes a folder if it is empty.
    @discardableResult
    fileprivate func removeFolder(_ parts: [String]) -> Bool {
        guard let name = parts.last, let outer = try? descend(parts.dropLast()) else { return false }
        defer { close(outer) }
        return unlinkat(outer, name, AT_REMOVEDIR) == 0
    }
}

/// Files that appear in an output folder together: all are first written under temporary names and then renamed.
///
/// A failure before ``commit()`` leaves the folder unchanged. The files have the permissions of the process's umask.
/// They are not synced, because they can be generated again.
struct OutputFiles: ~Copyable {
    private let folder: OutputFolder
    private var staged: [(temporary: String, name: String, folder: [String])] = []
    private var made: OutputFolder.Made = []
    /// The folder of the last file, because the next file is often in the same one.
    private var last: (parts: [String], descriptor: Int32)?

    init(in folder: OutputFolder) { self.folder = folder }

    deinit {
        for one in staged {
            // A folder that can no longer be opened was moved, so its file remains.
            guard let descriptor = try? folder.descend(one.folder) else { continue }
            unlinkat(descriptor, one.temporary, 0)
            close(descriptor)
        }
        if let last { close(last.descriptor) }
        for parts in made.reversed() { folder.removeFolder(parts) }
    }

    /// Writes a file under a temporary name and creates missing folders.
    mutating func stage(_ bytes: [UInt8], as path: String) throws(FileError) {
        let (parts, name) = folder.parts(of: path)
        let descriptor = try enter(parts)
        // The name cannot be guessed, and `O_EXCL` rejects an existing file.
        let temporary = "\(name).\(RandomSource.system.identifier()).tmp"
        let place = folder.shown(parts + [temporary])
        let file = openat(descriptor, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
        guard file >= 0 else { throw FileError("open", place) }
        staged.append((temporary, name, parts))
        do throws(FileError) { try AtomicFile.write(bytes, to: file, path: place) } catch {
            close(file)
            throw error
        }
        // A network file system may report a full disk only now.
        guard close(file) == 0 else { throw FileError("close", place) }
    }

    /// Renames all files.
    ///
    /// - Throws: The error of the first file that cannot be renamed; the files before it have been renamed.
    mutating func commit() throws(FileError) {
        while let next = staged.first {
            let descriptor = try enter(next.folder)
            guard renameat(descriptor, next.temporary, descriptor, next.name) == 0 else {
                throw FileError("rename", folder.shown(next.folder + [next.name]))
            }
            staged.removeFirst()
            made = []
        }
    }

    /// Opens a folder, unless it is the folder of the previous file.
    private mutating func enter(_ parts: [String]) throws(FileError) -> Int32 {
        if let last, last.parts == parts { return last.descriptor }
        let descriptor = try folder.descend(parts, making: &made)
        if let last { close(last.descriptor) }
        last = (parts, descriptor)
        return descriptor
    }
}
