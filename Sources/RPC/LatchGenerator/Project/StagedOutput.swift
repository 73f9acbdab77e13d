// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchProtoCompiler

/// Files that several threads write under temporary names, and that are then renamed together.
///
/// A failure during staging leaves the folders unchanged.
final class StagedOutput {
    /// A path within the folder, and the new content.
    typealias File = (path: String, text: String)

    /// The first file of each folder, and the folders created for it.
    private var first: OutputFiles
    private let folder: OutputFolder
    /// The other files, whose folders already exist.
    private var others: [Batch] = []

    init(in folder: OutputFolder) {
        self.folder = folder
        first = OutputFiles(in: folder)
    }

    // The other files are removed first, because only empty folders can be removed.
    deinit { others = [] }

    /// Writes files under temporary names.
    func stage(_ files: [File]) throws(FileError) {
        var (folders, rest) = (Set<String>(), [File]())
        for file in files {
            guard folders.insert(AtomicFile(file.path).folder).inserted else {
                rest.append(file)
                continue
            }
            try first.stage(Array(file.text.utf8), as: file.path)
        }
        others = Parallel.map(Self.batches(of: rest)) { Batch($0, in: folder) }
        for batch in others { if let failure = batch.failure { throw failure } }
    }

    /// Renames all files.
    func commit() throws(FileError) {
        try first.commit()
        for batch in others { try batch.files.commit() }
    }

    /// Splits files into batches that are large enough for a thread.
    private static func batches(of files: [File]) -> [ArraySlice<File>] {
        let size = max(32, files.count / 8)
        return stride(from: 0, to: files.count, by: size).map { files[$0..<min($0 + size, files.count)] }
    }

    /// The files that one thread stages.
    private final class Batch {
        var files: OutputFiles
        private(set) var failure: FileError?

        init(_ all: ArraySlice<File>, in folder: OutputFolder) {
            files = OutputFiles(in: folder)
            do throws(FileError) {
                for file in all { try files.stage(Array(file.text.utf8), as: file.path) }
            } catch {
                failure = error
            }
        }
    }
}
