// SPDX-License-Identifier: Apache-2.0

extension CommandLine {
    /// Returns the arguments after the name of the program.
    ///
    /// - Throws: `CommandError.failed` if Swift's runtime cannot find the arguments. `.usage` for an argument that is
    ///   not UTF-8: the runtime would replace its bytes, and the command would read or write another file.
    static func words() throws(CommandError) -> [String] {
        // The runtime reads them from /proc/self/maps. In this case it does not even find the program's name.
        guard !arguments.isEmpty else {
            throw .failed("The arguments of this process cannot be read.", hint: "Mount /proc.")
        }
        for index in 1..<max(1, Int(argc)) {
            guard let text = unsafeArgv[index], String(validatingCString: text) == nil else { continue }
            throw .usage(
                "Argument \(index) is not UTF-8.", hint: "Rename the file, or set a locale with UTF-8 in the terminal.")
        }
        return Array(arguments.dropFirst())
    }
}
