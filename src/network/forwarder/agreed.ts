/** The header of an answer that refuses a host; its value is the number of the refusal. */
export const refusalHeader = 'x-coxswain-blocked';

/** Where the forwarder tells, with POST, which command met a refusal; the number of the refusal follows. */
export const refusalPath = '/.coxswain/refused/';

/** Stands in front of the names of variables that are meant for the program, not for the forwarder. */
export const setAside = 'COXSWAIN_FOR_PROGRAM_';
