// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import CLatchCrypt
import LatchCrypto

/// The functions of crypt(5): bcrypt, yescrypt, SHA-crypt and MD5-crypt.
enum CryptFunction {
    /// Returns the text that crypt(3) makes of a password: the setting, and then the digest.
    ///
    /// - Parameters:
    ///   - password: The bytes of the password, without a zero byte, which would end it.
    ///   - setting: The prefix of the function, its cost and the salt.
    /// - Throws: `CryptoError.engineFailure` if the setting is not valid, or the memory cannot be allocated.
    static func text(password: [UInt8], setting: String) throws(CryptoError) -> [UInt8] {
        let size = MemoryLayout<crypt_data>.size
        var work = [UInt8](repeating: 0, count: size)
        var phrase = (password + [0]).map { CChar(bitPattern: $0) }
        defer {
            wipe(&work)
            for index in phrase.indices { phrase[index] = 0 }
        }
        let text: [UInt8]? = work.withUnsafeMutableBytes { work in
            guard let result = crypt_rn(phrase, setting, work.baseAddress, Int32(work.count)) else { return nil }
            return Array(String(cString: result).utf8)
        }
        guard let text, text.count > 10 else { throw .engineFailure("crypt") }
        return text
    }
}
#endif
