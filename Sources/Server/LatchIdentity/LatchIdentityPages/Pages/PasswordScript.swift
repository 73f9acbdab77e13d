// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
import LatchHTTP
import LatchIdentityStorage

/// The script that says while a user types a new password whether it is a common one.
///
/// It has the rules of ``CommonPassword``, since a password that is still being typed is not sent anywhere. A test in a
/// browser compares both.
enum PasswordScript {
    /// The path of the script.
    static let path = "/password.js"

    /// The response with the script.
    static let response = HTTPResponse.script(text)

    /// The lists of the rules.
    private static let lists: JSONObject = [
        "exception": .string(CommonPassword.exception), "words": .string(CommonPassword.wordList),
        "paths": .array(CommonPassword.paths.map { .string($0) }),
        "plain": .object(
            JSONObject(
                sorting: Dictionary(
                    uniqueKeysWithValues: CommonPassword.plain.map { (String($0.key), .string(String($0.value))) }))),
    ]

    private static let text = #"""
        "use strict";
        (() => {
            const lists = \#(String(decoding: JSONValue.object(lists).serialized(), as: UTF8.self));
            const words = new Set(lists.words.split(" "));
            const walks = lists.paths.flatMap((path) => [[...path], [...path].reverse()]);
            const plain = (sign) => lists.plain[sign] || sign;

            const isLetter = (sign) => /\p{Alphabetic}/u.test(sign);
            const isDigit = (sign) => sign >= "0" && sign <= "9";
            const isDay = (first, second) =>
                (1 <= first && first <= 31 && 1 <= second && second <= 12)
                || (1 <= first && first <= 12 && 1 <= second && second <= 31);
            const isYear = (year) => 1900 <= year && year <= 2099;
            const isDate = (text) => {
                if (text.length !== 8 || !text.every(isDigit)) return false;
                const number = Number(text.join(""));
                const [start, end] = [Math.floor(number / 10000), number % 10000];
                return (isYear(start) && isDay(Math.floor(end / 100), end % 100))
                    || (isYear(end) && isDay(Math.floor(start / 100), start % 100));
            };
            const commonLength = (text, walk) => {
                let best = 0;
                for (let start = 0; start < walk.length; start += 1) {
                    let length = 0;
                    while (length < text.length && text[length] === walk[start + length]) length += 1;
                    best = Math.max(best, length);
                }
                return best;
            };
            const isWalk = (text) => {
                if (text.length < 4) return false;
                let rest = text;
                for (let parts = 0; rest.length > 0; parts += 1) {
                    const taken = Math.max(...walks.map((walk) => commonLength(rest, walk)));
                    if (taken < 3 || parts === 3) return false;
                    rest = rest.slice(taken);
                }
                return true;
            };
            const isRepetition = (text) => {
                const twice = text.length % 2 === 0 && text.every((sign, index) => sign === text[index - (index % 2)]);
                if (twice && isWalk(text.filter((_, index) => index % 2 === 0))) return true;
                for (let length = 1; length <= Math.max(Math.floor(text.length / 3), 4); length += 1) {
                    if (text.length > 1 && length * 2 <= text.length
                        && text.slice(length).every((sign, index) => sign === text[index])) return true;
                }
                return false;
            };
            const isFilling = (text) => {
                const digits = text.filter(isDigit);
                return text.length - digits.length <= 2
                    && (digits.length <= 4 || isWalk(digits) || isRepetition(digits) || isDate(digits));
            };
            const isKnown = (core, names) => {
                const isOne = (part) => words.has(part.join("")) || names.includes(part.join(""));
                if (isOne(core) || isWalk(core)) return true;
                for (let cut = 3; core.length >= 6 && cut <= core.length - 3; cut += 1) {
                    if (isOne(core.slice(0, cut)) && isOne(core.slice(cut))) return true;
                }
                return false;
            };
            const isWord = (text, names) => {
                const [first, last] = [text.findIndex(isLetter), text.findLastIndex(isLetter)].map((index) =>
                    Math.max(index, 0));
                const inner = text.map((sign, index) => (first <= index && index <= last ? plain(sign) : sign));
                return [text, inner, text.map(plain)].some((form) => {
                    const [start, end] = [form.findIndex(isLetter), form.findLastIndex(isLetter)];
                    return start >= 0 && isFilling(form.slice(0, start)) && isFilling(form.slice(end + 1))
                        && isKnown(form.slice(start, end + 1), names);
                });
            };
            const isCommon = (password, names) => {
                if (password === lists.exception) return false;
                const text = [...password.toLowerCase()];
                if (names.includes(text.join(""))) return true;
                if (text.length > 32) return new Set(text).size === 1;
                return isRepetition(text) || isWalk(text) || isDate(text) || isWord(text, names);
            };
            const namesOf = (address) => {
                const parts = address.split("@");
                return parts.length !== 2 ? [address]
                    : [address, parts[0], parts[1].split(".")[0]].filter((name) => name !== "");
            };

            for (const field of document.querySelectorAll("input[data-common]")) {
                const hint = document.getElementById(`${field.id}-hint`);
                const rule = hint.textContent;
                const owner = field.form.querySelector("input[name=username], input[name=email]");
                field.addEventListener("input", () => {
                    const names = namesOf((owner ? owner.value : "").toLowerCase());
                    hint.textContent = [...field.value].length < field.minLength ? rule
                        : isCommon(field.value, names) ? field.dataset.common : field.dataset.accepted;
                });
            }
        })();

        """#
}
